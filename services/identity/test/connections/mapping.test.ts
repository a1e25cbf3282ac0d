import { expect, test } from 'vitest'
import { mapClaims } from '../../src/connections/mapping.ts'

const mapped = (claims: Record<string, unknown>, ...values: string[]) => {
  const mapping = values.map((value) => ({ claim: 'groups', value, group: `group ${value}` }))
  return mapClaims({ mapping, organizationId: undefined }, claims, async () => [])
}

test('rules find their values among those of a claim, or the one that it is', async () => {
  const found = await mapped({ groups: ['a', 1, true, null, { b: 'b' }] }, 'a', '1', 'true', 'null', 'b')
  expect(found.groups).toEqual(['group a', 'group 1', 'group true'])
  expect((await mapped({ groups: 'a' }, 'a', 'b')).groups).toEqual(['group a'])
})

test('of a claim 2,000 values are read, each of them once for all rules', async () => {
  let read = 0
  const last = { toString: () => 'never' }
  const groups = new Proxy([...Array.from({ length: 1_999 }, (_, n) => `v${n}`), 'last', 'more', last], {
    get(values, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) read += 1
      return Reflect.get(values, name, receiver)
    },
  })
  const { groups: given, remarks } = await mapped({ groups }, 'v0', 'last', 'more', 'v1', 'v2')
  expect(given).toEqual(['group v0', 'group last', 'group v1', 'group v2'])
  expect(remarks).toEqual(['The claim groups has more than 2000 values. Only the first ones are read.'])
  expect(read).toBe(2_000)
})
