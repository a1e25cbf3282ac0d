import { stat } from 'node:fs/promises'
import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { createPasswordHashing, hashPassword, isOutdated, isPassword } from '../../src/passwords/password.ts'
import { passwordFault } from '../../src/passwords/password-rule.ts'

test('a password matches its own hash only if every character is the same', async () => {
  const hash = await hashPassword('Correct horse ü')
  expect(await isPassword(hash, 'Correct horse ü')).toBe(true)
  for (const wrong of ['correct horse ü', 'Correct horse ü ', 'Correct horse u', '']) {
    expect(await isPassword(hash, wrong)).toBe(false)
  }
})

test('a hash is argon2id at OWASP’s cost, has a salt of its own and does not contain the password', async () => {
  const [one, other] = [await hashPassword('hunter2hunter2'), await hashPassword('hunter2hunter2')]
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/)
  expect(one).not.toBe(other)
  expect(one).not.toContain('hunter2')
})

test('an unknown user matches no password, not even that of the dummy hash', async () => {
  for (const password of ['', 'x', 'nobody has this password']) {
    expect(await isPassword(undefined, password)).toBe(false)
  }
})

test('an unreadable hash throws and never matches', async () => {
  await expect(isPassword('not a hash', 'x')).rejects.toThrow()
})

test('a hash of another cost or kind is outdated, one of the current cost is not', async () => {
  expect(isOutdated(await hashPassword('x'))).toBe(false)
  for (const other of [
    { memoryCost: 19_457, timeCost: 2, parallelism: 1 },
    { memoryCost: 19_456, timeCost: 1, parallelism: 1 },
    { memoryCost: 19_456, timeCost: 2, parallelism: 2 },
    { memoryCost: 19_456, timeCost: 2, parallelism: 1, algorithm: 1 },
  ]) {
    expect(isOutdated(await hash('x', other))).toBe(true)
  }
})

test.each<[string, string | undefined]>([
  ['', 'too_short'],
  ['eleven char', 'too_short'],
  ['twelve chars', undefined],
  ['            ', undefined],
  ['😀'.repeat(11), 'too_short'],
  ['😀'.repeat(12), undefined],
  ['😀'.repeat(1_024), undefined],
  ['x'.repeat(1_024), undefined],
  ['x'.repeat(1_025), 'too_long'],
  ['x'.repeat(1_000_000), 'too_long'],
  ['1qaz2wsx3edc', 'too_common'],
  ['Qwerty123456', 'too_common'],
  ['Ann.Example.Jones', 'like_name'],
  ['ann.jones@EXAMPLE.com', 'like_name'],
  ['ann.jones@example.com!', undefined],
])(
  'a new password has 12 to 1024 characters, and is neither common nor a name (case %#)',
  (password, fault) => {
    const names = ['ann.example.jones', 'Ann.Jones@example.com', undefined]
    expect(passwordFault(password, names)).toBe(fault)
  },
)

test('the longest password does not match a longer one', async () => {
  const longest = '😀'.repeat(1_024)
  const kept = await hashPassword(longest)
  expect(await isPassword(kept, longest)).toBe(true)
  expect(await isPassword(kept, `${longest}x`)).toBe(false)
  expect(await isPassword(kept, longest.repeat(500))).toBe(false)
})

test('refuses too many passwords at once, and finishes those that wait', async () => {
  const hashing = createPasswordHashing({ maxRunning: 1, maxWaiting: 1 })
  const results = await Promise.allSettled([
    hashing.hash('one'),
    hashing.matches(undefined, 'two'),
    hashing.matches(undefined, 'three'),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(results[2]).toMatchObject({ reason: { code: 'temporarily_unavailable' } })
})

test('compares with one imported hash at a time if it takes much memory, and with others meanwhile', async () => {
  const hashing = createPasswordHashing({ maxRunning: 3, maxWaiting: 10 })
  const large = `$scrypt$ln=16,r=8,p=1$c2FsdHNhbHRzYWx0$${'A'.repeat(43)}`
  const small = await hash('x', { memoryCost: 1_024, timeCost: 1 })
  const finished: string[] = []
  const before = process.memoryUsage().rss
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 2)
  await Promise.all([
    ...[1, 2, 3].map(() => hashing.matches(large, 'x').then(() => finished.push('large'))),
    hashing.matches(small, 'x').then(() => finished.push('small')),
  ])
  clearInterval(watch)
  expect(finished[0]).toBe('small')
  // Each takes 64 MiB.
  expect(most - before).toBeLessThan(120 * 1_048_576)
})

test.each([
  ['bcrypt', '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW'],
  ['PBKDF2', `$pbkdf2-sha512$i=1000000$c2FsdHNhbHRzYWx0$${'A'.repeat(43)}`],
  ['argon2', `$argon2id$v=19$m=32768,t=20,p=1$c2FsdHNhbHRzYWx0$${'A'.repeat(43)}`],
  ['scrypt', `$scrypt$ln=14,r=8,p=5$c2FsdHNhbHRzYWx0$${'A'.repeat(43)}`],
])('users with slow imported hashes do not keep others from logging in: %s', async (_, slow) => {
  const hashing = createPasswordHashing({ maxRunning: 2, maxWaiting: 10 })
  const ours = await hashPassword('x')
  const finished: string[] = []
  await Promise.all([
    ...[1, 2].map(() => hashing.matches(slow, 'x').then(() => finished.push('slow'))),
    hashing.matches(ours, 'x').then(() => finished.push('ours')),
  ])
  expect(finished).toEqual(['ours', 'slow', 'slow'])
})

test('leaves a libuv thread free for other work while many passwords are hashed', async () => {
  const hashing = createPasswordHashing()
  let done = 0
  const hashes = Array.from({ length: 40 }, () => hashing.hash('x').then(() => done++))
  await stat('.')
  expect(done).toBeLessThan(20)
  await Promise.all(hashes)
})
