import { expect, test } from 'vitest'
import {
  areComplete,
  filledRules,
  newRule,
  storedRules,
  takenRules,
  targetOf,
  withTarget,
} from '../src/connections/mapping-rules.ts'

const department = { claim: 'department', to: { attribute: 'department' } }
const developers = { claim: 'groups', value: 'dev', to: { group: 'Developers' } }
const editor = { claim: 'groups', value: 'dev', to: { resource: 'https://api.example', role: 'editor' } }

test.each([
  [department, 'attribute'],
  [developers, 'group'],
  [editor, 'role'],
  [newRule, 'group'],
])('the target of %j is a %s', (rule, target) => {
  expect(targetOf(rule)).toBe(target)
})

test('another target forgets the former one, and an attribute has no value', () => {
  expect(withTarget(developers, 'role')).toEqual({
    claim: 'groups',
    value: 'dev',
    to: { resource: '', role: '' },
  })
  expect(withTarget(editor, 'attribute')).toEqual({ claim: 'groups', to: { attribute: '' } })
  expect(withTarget(department, 'group')).toEqual({ claim: 'department', value: '', to: { group: '' } })
})

test('rules that nobody has typed in are not sent, and white space is not', () => {
  const typed = { claim: ' groups ', value: ' dev', to: { group: 'Developers ' } }
  expect(filledRules([newRule, typed, withTarget(newRule, 'role')])).toEqual([developers])
})

test('rules that nobody has changed are the stored ones, in whatever order the API writes their fields', () => {
  const { claim, value, to } = editor
  const stored = storedRules([{ claim, to: { role: to.role, resource: to.resource }, value }])
  expect(JSON.stringify(filledRules(stored))).toBe(JSON.stringify(stored))
  expect(takenRules(stored, [editor])).toEqual([])
})

test.each([
  [[newRule], true],
  [[department, developers, editor], true],
  [[{ ...developers, value: ' ' }], false],
  [[{ ...editor, to: { resource: 'https://api.example', role: '' } }], false],
  [[{ ...department, claim: '' }], false],
])('whether %j can be sent: %s', (rules, complete) => {
  expect(areComplete(rules)).toBe(complete)
})

test('a rule that changes is taken, in words', () => {
  expect(takenRules([department, editor], [department, developers])).toEqual([
    'groups = dev → https://api.example editor',
  ])
  expect(takenRules([department], [developers, department])).toEqual([])
})
