import { beforeAll, expect, test } from 'vitest'
import { noAuthority } from '../../../src/authority/authority.ts'
import { useDatabase } from '../database.ts'
import { assertion, countRows, isReplay, redeem, refresh, send, start } from './proving-replica.ts'

const context = useDatabase()
// The first token makes its partition.
beforeAll(() => send(start(context.database), assertion()))

/** A replica at which roles give nothing any more. */
const withoutRoles = () =>
  start(context.database, {
    authority: { ...noAuthority, concerns: () => true, judge: async () => undefined },
  })

test('a replayed assertion with a redeemed code ends no grant, where roles give nothing', async () => {
  const at = start(context.database)
  const { code } = await at.authorize()
  const text = assertion()
  const tokens = await redeem(at, text, code)
  const before = await countRows(context, 'revocations')
  await expect(redeem(withoutRoles(), text, code)).rejects.toEqual(isReplay)
  expect(await countRows(context, 'revocations')).toBe(before)
  expect(await at.isActive(tokens)).toBe(true)
})

test('a replayed assertion with a used refresh token ends no grant, where roles give nothing', async () => {
  const at = start(context.database)
  const { code } = await at.authorize()
  const first = await redeem(at, assertion(), code)
  const text = assertion()
  const second = await refresh(at, text, first.refreshToken)
  const third = await refresh(at, assertion(), second.refreshToken)
  const before = await countRows(context, 'revocations')
  await expect(refresh(withoutRoles(), text, first.refreshToken)).rejects.toEqual(isReplay)
  expect(await countRows(context, 'revocations')).toBe(before)
  expect(await at.isActive(third)).toBe(true)
})
