import { expect, test } from 'vitest'
import { ruleIn, ruleText } from '../src/commands/connections/mapping-option.ts'

test.each([
  ['department -> attribute department', { claim: 'department', to: { attribute: 'department' } }],
  [
    'groups=dev -> group Developers of it',
    { claim: 'groups', value: 'dev', to: { group: 'Developers of it' } },
  ],
  ['/realm/groups=a=b -> group A', { claim: '/realm/groups', value: 'a=b', to: { group: 'A' } }],
  [
    'groups=dev -> role https://api.example?a=b=editor',
    { claim: 'groups', value: 'dev', to: { resource: 'https://api.example?a=b', role: 'editor' } },
  ],
])('the rule "%s" is read, and written alike', (text, rule) => {
  expect(ruleIn(text)).toEqual(rule)
  expect(ruleText(rule)).toBe(text)
})

test.each([
  'department=x -> attribute department',
  'groups -> group Developers',
  'groups=dev -> role editor',
  'groups=dev',
  '-> group Developers',
  '=dev -> group Developers',
  'groups=dev -> team Developers',
  'groups=dev -> group ',
])('the rule "%s" is refused', (text) => {
  expect(() => ruleIn(text)).toThrow('must be "claim -> attribute name"')
})
