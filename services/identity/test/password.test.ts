import { expect, test } from 'vitest'
import { hashPassword, isPassword } from '../src/password.ts'

test('a password is the one that was hashed, to the letter', async () => {
  const hash = await hashPassword('Correct horse ü')
  expect(await isPassword(hash, 'Correct horse ü')).toBe(true)
  for (const wrong of ['correct horse ü', 'Correct horse ü ', 'Correct horse u', '']) {
    expect(await isPassword(hash, wrong)).toBe(false)
  }
})

test('the hash is argon2id at OWASP’s cost, with a salt of its own, and the password is not in it', async () => {
  const [one, other] = [await hashPassword('hunter2hunter2'), await hashPassword('hunter2hunter2')]
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/)
  expect(one).not.toBe(other)
  expect(one).not.toContain('hunter2')
})

test('nobody has any password, not even the one that stands in for theirs', async () => {
  for (const password of ['', 'x', 'nobody has this password']) {
    expect(await isPassword(undefined, password)).toBe(false)
  }
})

test('a hash that cannot be read is an error, never a match', async () => {
  await expect(isPassword('not a hash', 'x')).rejects.toThrow()
})
