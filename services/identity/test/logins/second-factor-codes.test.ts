import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSeedEncryption } from '../../src/factors/seed-encryption.ts'
import { appCode, pendingOf, recoveryCode, useFactors } from '../store/factors/factors.ts'

const shared = useFactors()

test('a code is accepted once, also when two browsers send it at the same time', async () => {
  const { username, code, later } = await shared.userWithApp()
  const secrets = [await shared.pendingLogin(username), await shared.pendingLogin(username)]
  const replicas = [shared.replica(), shared.another()]
  const results = await Promise.all(
    secrets.map((secret, index) =>
      shared.prove(pendingOf(secret), appCode(code), { ...replicas[index]?.factors, at: later }),
    ),
  )
  expect(results.map(({ outcome }) => outcome).sort()).toEqual(['right', 'wrong'])
  const again = await shared.pendingLogin(username)
  expect(await shared.prove(pendingOf(again), appCode(code), { at: later })).toEqual({ outcome: 'wrong' })
})

test('the code of the enrolment counts as used, and an earlier one is not accepted after a later one', async () => {
  const { username, app, later } = await shared.userWithApp()
  const secret = await shared.pendingLogin(username)
  const enrolment = app.code(later - 30_000)
  expect(await shared.prove(pendingOf(secret), appCode(enrolment), { at: later })).toEqual({
    outcome: 'wrong',
  })
  const next = await shared.prove(pendingOf(secret), appCode(app.code(later + 30_000)), { at: later })
  expect(next.outcome).toBe('right')
  const another = await shared.pendingLogin(username)
  const earlier = await shared.prove(pendingOf(another), appCode(app.code(later)), { at: later })
  expect(earlier).toEqual({ outcome: 'wrong' })
})

test('a recovery code works once, however it is typed, also in parallel', async () => {
  const { id, username, recoveryCodes } = await shared.userWithApp()
  const [code = '', other = ''] = recoveryCodes
  const typed = code.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')
  const secrets = await Promise.all(Array.from({ length: 4 }, () => shared.pendingLogin(username)))
  const results = await Promise.all(
    secrets.map((secret) => shared.prove(pendingOf(secret), recoveryCode(typed))),
  )
  expect(results.map(({ outcome }) => outcome).sort()).toEqual(['right', 'wrong', 'wrong', 'wrong'])
  const { emitted } = shared.replica()
  expect(emitted.filter(({ type, userId }) => type === 'recovery_code_used' && userId === id)).toHaveLength(1)
  const list = await shared.deps().list.list(id)
  expect(list.recoveryCodesLeft).toBe(9)
  const next = await shared.pendingLogin(username)
  expect((await shared.prove(pendingOf(next), recoveryCode(other))).outcome).toBe('right')
})

test('recovery codes are ten codes of 80 random bits, stored by their digests, each user’s own', async () => {
  const ann = await shared.userWithApp()
  const bob = await shared.userWithApp()
  expect(ann.recoveryCodes).toHaveLength(10)
  for (const code of ann.recoveryCodes)
    expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
  expect(new Set([...ann.recoveryCodes, ...bob.recoveryCodes]).size).toBe(20)
  const rows = await shared.query('select r::text from identity.recovery_codes r where user_id = $1', [
    ann.id,
  ])
  for (const code of ann.recoveryCodes) {
    expect(JSON.stringify(rows)).not.toContain(code)
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(code.replaceAll('-', '')).toString('hex'))
  }
  const secret = await shared.pendingLogin(bob.username)
  const wrong = await shared.prove(pendingOf(secret), recoveryCode(ann.recoveryCodes[0] ?? ''))
  expect(wrong).toEqual({ outcome: 'wrong' })
})

test('wrong codes are recorded, and limited per account for all replicas and browsers together', async () => {
  const { id, username, code, wrongCode, later, recoveryCodes } = await shared.userWithApp()
  const replicas = [shared.replica(), shared.another()]
  const secrets = [await shared.pendingLogin(username), await shared.pendingLogin(username)]
  const tries = await Promise.all(
    Array.from({ length: 14 }, (_, index) =>
      shared.prove(pendingOf(secrets[index % 2] ?? ''), appCode(wrongCode), {
        ...replicas[index % 2]?.factors,
        at: later,
      }),
    ),
  )
  expect(tries.filter(({ outcome }) => outcome === 'wrong')).toHaveLength(10)
  const throttled = tries.filter(({ outcome }) => outcome === 'throttled')
  expect(throttled).toHaveLength(4)
  expect(throttled[0]).toEqual({ outcome: 'throttled', retryAfter: expect.any(Number) })
  // Even the right code, in a new login.
  const next = await shared.pendingLogin(username)
  const right = await shared.prove(pendingOf(next), appCode(code), { at: later })
  expect(right.outcome).toBe('throttled')
  const failures = await shared.failuresOf(id)
  expect(failures.filter((failure) => failure === 'password wrong_second_factor')).toHaveLength(10)
  expect(failures.filter((failure) => failure === 'password too_many_codes')).toHaveLength(5)
  // A recovery code still helps, so nobody who knows the password can lock the user out.
  expect((await shared.prove(pendingOf(next), recoveryCode(recoveryCodes[0] ?? ''))).outcome).toBe('right')
})

test('the limits end with their windows, and the day has one of its own', async () => {
  const { id, username, code, wrongCode, later } = await shared.userWithApp()
  const endWindow = (kind: string) =>
    shared.query(
      `update identity.login_failures set window_ends = now() where kind = $2
       and key_digest = sha256(convert_to($1, 'UTF8'))`,
      [id, kind],
    )
  for (let round = 1; round <= 5; round += 1) {
    const secret = await shared.pendingLogin(username)
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const result = await shared.prove(pendingOf(secret), appCode(wrongCode), { at: later })
      expect(result.outcome).toBe('wrong')
    }
    await endWindow('code')
  }
  const secret = await shared.pendingLogin(username)
  const result = await shared.prove(pendingOf(secret), appCode(code), { at: later })
  if (result.outcome !== 'throttled') throw new Error(result.outcome)
  expect(result.retryAfter).toBeGreaterThan(86_000)
  await endWindow('code_day')
  await endWindow('code')
  expect((await shared.prove(pendingOf(secret), appCode(code), { at: later })).outcome).toBe('right')
})

test('the right code clears the short count, and only itself from that of the day', async () => {
  const { id, username, code, wrongCode, later } = await shared.userWithApp()
  const secret = await shared.pendingLogin(username)
  for (let attempt = 1; attempt <= 4; attempt += 1)
    await shared.prove(pendingOf(secret), appCode(wrongCode), { at: later })
  expect((await shared.prove(pendingOf(secret), appCode(code), { at: later })).outcome).toBe('right')
  const rows = await shared.query(
    `select kind, failures from identity.login_failures where key_digest = sha256(convert_to($1, 'UTF8'))
     order by kind`,
    [id],
  )
  expect(rows).toEqual([
    { kind: 'code', failures: 0 },
    { kind: 'code_day', failures: 4 },
  ])
})

test('a pending login takes ten codes at most', async () => {
  const { id, username, code, wrongCode, later } = await shared.userWithApp()
  const secret = await shared.pendingLogin(username)
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    await shared.prove(pendingOf(secret), appCode(wrongCode), { at: later })
  }
  await shared.query(
    `delete from identity.login_failures where key_digest = sha256(convert_to($1, 'UTF8'))`,
    [id],
  )
  expect(await shared.prove(pendingOf(secret), appCode(code), { at: later })).toEqual({ outcome: 'ended' })
  const next = await shared.pendingLogin(username)
  expect((await shared.prove(pendingOf(next), appCode(code), { at: later })).outcome).toBe('right')
})

test('a wrong second factor is counted by kind and outcome', async () => {
  const { username, code, wrongCode, later } = await shared.userWithApp()
  const { tried } = shared.replica()
  tried.length = 0
  const secret = await shared.pendingLogin(username)
  await shared.prove(pendingOf(secret), appCode(wrongCode), { at: later })
  await shared.prove(pendingOf(secret), recoveryCode('nothing'))
  await shared.prove(pendingOf(secret), appCode(code), { at: later })
  expect(tried).toEqual(['totp wrong', 'recovery_code wrong', 'totp right'])
})

test('without OAUTH2_FACTOR_KEY nobody proves their app, but the factor is still demanded', async () => {
  const { username, code, later, recoveryCodes } = await shared.userWithApp()
  const secret = await shared.pendingLogin(username)
  const keyless = await shared.prove(pendingOf(secret), appCode(code), { at: later, seeds: undefined })
  expect(keyless).toEqual({ outcome: 'wrong' })
  expect((await shared.prove(pendingOf(secret), recoveryCode(recoveryCodes[0] ?? ''))).outcome).toBe('right')
})

test('a code counts although the seed is encrypted anew between reading and using it, and counts once', async () => {
  const { id, username, code, later } = await shared.userWithApp()
  const { apps, seeds } = shared.deps()
  const [old, fresh] = [
    'the factor key of the tests, 32 characters',
    'another factor key of the tests, 32 characters',
  ]
  const swapped = createSeedEncryption([fresh, old], randomBytes)
  let reads = 0
  const reencrypting = {
    ...apps,
    async find(userId: string) {
      const seed = await apps.find(userId)
      reads += 1
      if (reads === 1 && seed)
        await shared.query('update identity.totp_factors set seed = $2 where user_id = $1', [
          userId,
          swapped.renewed(seed, userId),
        ])
      return seed
    },
  }
  const given = { at: later, apps: reencrypting, seeds: swapped }
  const first = await shared.prove(pendingOf(await shared.pendingLogin(username)), appCode(code), given)
  expect([first.outcome, reads]).toEqual(['right', 2])
  const again = await shared.prove(pendingOf(await shared.pendingLogin(username)), appCode(code), given)
  expect(again).toEqual({ outcome: 'wrong' })
  const [row] = await shared.query('select seed from identity.totp_factors where user_id = $1', [id])
  expect(() => seeds?.decrypt(row?.seed as Buffer, id)).toThrow('authenticate')
})
