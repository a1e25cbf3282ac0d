import { expect, test } from 'vitest'
import { digestOf } from '../../src/basics/secret.ts'
import { beginPasskeyEnrolment, enrolPasskey } from '../../src/factors/enrolment.ts'
import { beginPasskeyLogin, logInWithPasskey } from '../../src/factors/passkey-login.ts'
import { relyingPartyAt } from '../../src/factors/webauthn.ts'
import { getSession, listSessions } from '../../src/logins/session.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { browser, pendingOf, sessionOf, useFactors } from '../store/factors/factors.ts'
import { actor } from '../store/replica.ts'
import { type Authenticator, type Behaviour, createAuthenticator } from './authenticator.ts'

const shared = useFactors()

/** A user with a passkey, whose sessions have ended. */
async function userWithPasskey(behaviour: Partial<Behaviour> = {}) {
  const { secret, ...user } = await shared.userWithSession()
  const { authenticator } = await shared.addPasskey(secret, behaviour)
  await shared.query('delete from identity.sessions where user_id = $1', [user.id])
  return { ...user, authenticator }
}

/** Proves a passkey as the second factor. */
async function proveAs(authenticator: Authenticator, username: string, changes: Partial<Behaviour> = {}) {
  const owner = pendingOf(await shared.pendingLogin(username))
  const text = authenticator.get(await shared.passkeyOptions(owner), changes)
  return shared.prove(owner, { kind: 'passkey', text })
}

/** Logs in with a passkey alone. */
async function logInAlone(authenticator: Authenticator, changes: Partial<Behaviour> = {}) {
  const { options, browserSecret } = await beginPasskeyLogin(shared.deps())
  const answer = authenticator.get(options, changes)
  return logInWithPasskey({ answer, browserSecret, ...browser }, shared.deps())
}

test('a passkey proves the second factor, and the session tells what kind of key it is', async () => {
  const bound = await userWithPasskey()
  const result = await proveAs(bound.authenticator, bound.username)
  if (result.outcome !== 'right') throw new Error(result.outcome)
  expect(result.value.session.methods).toEqual(['pwd', 'hwk', 'user', 'mfa'])
  const synced = await userWithPasskey({ synced: true })
  const other = await proveAs(synced.authenticator, synced.username)
  if (other.outcome !== 'right') throw new Error(other.outcome)
  expect(other.value.session.methods).toEqual(['pwd', 'swk', 'user', 'mfa'])
})

test('as a second factor a passkey need not verify its user, but somebody must be there', async () => {
  const { authenticator, username } = await userWithPasskey({ verifies: false })
  expect((await proveAs(authenticator, username)).outcome).toBe('right')
  expect(await proveAs(authenticator, username, { present: false })).toEqual({ outcome: 'wrong' })
})

test('a passkey alone begins a session that satisfies a demand for two factors', async () => {
  const { id, authenticator } = await userWithPasskey()
  const result = await logInAlone(authenticator)
  if (result.outcome !== 'right') throw new Error(result.outcome)
  const session = await getSession(result.value.secret, shared.replica().sessions)
  expect(session).toMatchObject({
    user: { id },
    methods: ['hwk', 'user', 'mfa'],
    secondFactorUnproven: false,
    secondFactorDue: false,
  })
  expect((await shared.failuresOf(id)).at(-1)).toBe('passkey')
  expect(await shared.query('select from identity.pending_logins where user_id = $1', [id])).toEqual([])
  const { passkeys } = await shared.deps().list.list(id)
  expect(passkeys[0]?.lastUsedAt).toBeInstanceOf(Date)
})

test.each<[string, Partial<Behaviour>]>([
  ['whose user was not verified', { verifies: false }],
  ['from another origin', { origin: 'https://auth.example.evil.example' }],
  ['from another port', { origin: 'https://auth.example:8443' }],
  ['for another relying party', { rpId: 'evil.example' }],
  ['in a frame of another site', { crossOrigin: true }],
  ['in a frame below another site', { topOrigin: 'https://evil.example' }],
  ['of another ceremony', { type: 'webauthn.create' }],
  ['that says it may be copied now', { synced: true }],
  ['without a user handle', { userHandle: undefined }],
  ['with another user’s handle', { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
])('refuses a passkey alone %s', async (_, changes) => {
  const { id, authenticator } = await userWithPasskey()
  expect(await logInAlone(authenticator, changes)).toEqual({ outcome: 'wrong' })
  expect(await listSessions(id, shared.replica().sessions)).toEqual([])
  expect((await shared.failuresOf(id)).at(-1)).toBe('passkey invalid_passkey')
  expect((await logInAlone(authenticator)).outcome).toBe('right')
})

test('an authenticator that did not verify its user when it was registered logs in alone only once it has, beside the password', async () => {
  const { id, username, authenticator } = await userWithPasskey({ verifies: false })
  // A thief of the authenticator sets its first PIN.
  expect(await logInAlone(authenticator, { verifies: true })).toEqual({ outcome: 'wrong' })
  expect((await shared.failuresOf(id)).at(-1)).toBe('passkey invalid_passkey')
  expect((await proveAs(authenticator, username)).outcome).toBe('right')
  expect(await logInAlone(authenticator, { verifies: true })).toEqual({ outcome: 'wrong' })
  expect((await proveAs(authenticator, username, { verifies: true })).outcome).toBe('right')
  expect((await logInAlone(authenticator, { verifies: true })).outcome).toBe('right')
})

test('refuses a signature that is not over what was sent', async () => {
  const { authenticator, username } = await userWithPasskey()
  const owner = pendingOf(await shared.pendingLogin(username))
  const answer = JSON.parse(authenticator.get(await shared.passkeyOptions(owner)))
  const data = Buffer.from(answer.response.authenticatorData, 'base64url')
  data.writeUInt32BE(1_000, 33)
  answer.response.authenticatorData = data.toString('base64url')
  const forged = await shared.prove(owner, { kind: 'passkey', text: JSON.stringify(answer) })
  expect(forged).toEqual({ outcome: 'wrong' })
})

test.each(['', 'null', '[]', '{}', '{"id":1}', '{"id":"AAAA"}', 'x'.repeat(30_000)])(
  'refuses what is no answer of a browser: %.20s',
  async (text) => {
    const { username } = await userWithPasskey()
    const owner = pendingOf(await shared.pendingLogin(username))
    expect(await shared.prove(owner, { kind: 'passkey', text })).toEqual({ outcome: 'wrong' })
    const { browserSecret } = await beginPasskeyLogin(shared.deps())
    const alone = { answer: text, browserSecret, ...browser }
    expect(await logInWithPasskey(alone, shared.deps())).toEqual({ outcome: 'wrong' })
  },
)

test('a malformed answer about a known passkey is refused', async () => {
  const { authenticator, username } = await userWithPasskey()
  const owner = pendingOf(await shared.pendingLogin(username))
  const { id } = JSON.parse(authenticator.get(await shared.passkeyOptions(owner)))
  for (const response of [undefined, {}, { clientDataJSON: 'e30', authenticatorData: '', signature: '' }]) {
    const text = JSON.stringify({ id, rawId: id, type: 'public-key', response })
    expect(await shared.prove(owner, { kind: 'passkey', text })).toEqual({ outcome: 'wrong' })
  }
})

test('a challenge is answered once, also when the answer comes twice at the same time', async () => {
  const { id, authenticator } = await userWithPasskey()
  const { options, browserSecret } = await beginPasskeyLogin(shared.deps())
  const login = { answer: authenticator.get(options), browserSecret, ...browser }
  const replicas = [shared.deps(), shared.deps({}, shared.another())]
  const results = await Promise.all(replicas.map((deps) => logInWithPasskey(login, deps)))
  expect(results.map(({ outcome }) => outcome).sort()).toEqual(['right', 'wrong'])
  expect(await logInWithPasskey(login, shared.deps())).toEqual({ outcome: 'wrong' })
  expect(await listSessions(id, shared.replica().sessions)).toHaveLength(1)
})

test('a challenge has 256 random bits, is stored by its digest and expires', async () => {
  const { authenticator } = await userWithPasskey()
  const { options, browserSecret, lifetime } = await beginPasskeyLogin(shared.deps())
  const { challenge } = JSON.parse(options ?? 'null')
  expect(Buffer.from(challenge, 'base64url')).toHaveLength(32)
  expect(lifetime).toBe(600)
  const digest = digestOf(challenge)
  const expired = await shared.query(
    'update identity.webauthn_challenges c set expires_at = now() where challenge_digest = $1 returning c::text',
    [digest],
  )
  expect(expired).toHaveLength(1)
  expect(JSON.stringify(expired)).not.toContain(Buffer.from(challenge, 'base64url').toString('hex'))
  const login = { answer: authenticator.get(options), browserSecret, ...browser }
  expect(await logInWithPasskey(login, shared.deps())).toEqual({ outcome: 'wrong' })
})

test('a challenge belongs to its ceremony, and to the browser, session or login that it was made for', async () => {
  const { authenticator, username } = await userWithPasskey()
  const owner = pendingOf(await shared.pendingLogin(username))
  const another = pendingOf(await shared.pendingLogin(username))
  const ofAnother = authenticator.get(await shared.passkeyOptions(another))
  expect(await shared.prove(owner, { kind: 'passkey', text: ofAnother })).toEqual({ outcome: 'wrong' })

  // A login with a passkey alone, and a second factor.
  const alone = await beginPasskeyLogin(shared.deps())
  const text = authenticator.get(alone.options)
  expect(await shared.prove(owner, { kind: 'passkey', text })).toEqual({ outcome: 'wrong' })
  const answer = authenticator.get(await shared.passkeyOptions(owner))
  const login = { answer, browserSecret: alone.browserSecret, ...browser }
  expect(await logInWithPasskey(login, shared.deps())).toEqual({ outcome: 'wrong' })

  // Another browser.
  const mine = authenticator.get(alone.options)
  const { browserSecret } = await beginPasskeyLogin(shared.deps())
  const theirs = { answer: mine, browserSecret, ...browser }
  expect(await logInWithPasskey(theirs, shared.deps())).toEqual({ outcome: 'wrong' })
  const right = { ...theirs, browserSecret: alone.browserSecret }
  expect((await logInWithPasskey(right, shared.deps())).outcome).toBe('right')
})

test('the challenge of a registration belongs to its session, and to nothing else', async () => {
  const ann = await shared.userWithSession()
  const bob = await shared.userWithSession()
  const options = await beginPasskeyEnrolment(sessionOf(ann.secret), shared.deps())
  const name = 'My key'
  const enrol = (secret: string, answer: string) =>
    enrolPasskey(sessionOf(secret), { answer, name }, browser, shared.deps())
  expect(await enrol(bob.secret, createAuthenticator().create(options))).toBe('invalid')
  const question = await beginPasskeyLogin(shared.deps())
  const { challenge } = JSON.parse(question.options ?? 'null')
  const mixed = JSON.stringify({ ...JSON.parse(options ?? 'null'), challenge })
  expect(await enrol(ann.secret, createAuthenticator().create(mixed))).toBe('invalid')
  expect(await enrol(ann.secret, createAuthenticator().create(options))).toMatchObject({
    recoveryCodes: expect.any(Array),
  })
})

test('the challenge of a registration is answered once', async () => {
  const user = await shared.userWithSession()
  const { secret } = await shared.addPasskey(user.secret)
  const owner = sessionOf(secret)
  const options = await beginPasskeyEnrolment(owner, shared.deps())
  const results = await Promise.all(
    [shared.deps(), shared.deps({}, shared.another())].map((deps) => {
      const answer = createAuthenticator().create(options)
      return enrolPasskey(owner, { answer, name: 'My key' }, browser, deps)
    }),
  )
  expect(results.filter((result) => result === 'invalid')).toHaveLength(1)
  const { passkeys } = await shared.deps().list.list(user.id)
  expect(passkeys).toHaveLength(2)
})

test('a user cannot prove another user’s passkey', async () => {
  const ann = await userWithPasskey()
  const bob = await userWithPasskey()
  expect(await proveAs(bob.authenticator, ann.username)).toEqual({ outcome: 'wrong' })
  expect((await proveAs(ann.authenticator, ann.username)).outcome).toBe('right')
})

test('a copy of a passkey that is bound to one device is refused and reported', async () => {
  const { id, authenticator, username } = await userWithPasskey()
  const copy = authenticator.copy()
  expect((await proveAs(authenticator, username)).outcome).toBe('right')
  expect((await proveAs(authenticator, username)).outcome).toBe('right')
  expect(await proveAs(copy, username)).toEqual({ outcome: 'wrong' })
  expect(await logInAlone(copy, { counts: 0 })).toEqual({ outcome: 'wrong' })
  expect((await shared.failuresOf(id)).slice(-2)).toEqual([
    'password passkey_counter',
    'passkey passkey_counter',
  ])
  const { emitted } = shared.replica()
  expect(
    emitted.filter(({ type, userId }) => type === 'passkey_counter_decreased' && userId === id),
  ).toHaveLength(2)
})

test('of two answers with the same counter at the same time one is refused', async () => {
  const { authenticator, username } = await userWithPasskey()
  const copy = authenticator.copy()
  const results = await Promise.all([proveAs(authenticator, username), proveAs(copy, username)])
  expect(results.map(({ outcome }) => outcome).sort()).toEqual(['right', 'wrong'])
})

test('an authenticator that does not count, and a synced passkey whose counter goes back, are accepted', async () => {
  const uncounted = await userWithPasskey({ counts: 0 })
  for (let round = 1; round <= 2; round += 1)
    expect((await logInAlone(uncounted.authenticator)).outcome).toBe('right')
  const synced = await userWithPasskey({ synced: true })
  const onAnotherDevice = synced.authenticator.copy()
  for (let round = 1; round <= 3; round += 1)
    expect((await logInAlone(synced.authenticator)).outcome).toBe('right')
  expect((await logInAlone(onAnotherDevice)).outcome).toBe('right')
})

test('a disabled user does not log in with a passkey', async () => {
  const { id, authenticator } = await userWithPasskey()
  await updateUser({ userId: id, disabled: true }, actor, shared.replica().admin.changes)
  expect(await logInAlone(authenticator)).toEqual({ outcome: 'wrong' })
  expect(await listSessions(id, shared.replica().sessions)).toEqual([])
})

test('a made-up passkey is recorded at most once a minute for a network', async () => {
  const count = async () => {
    const rows = await shared.query(
      `select failure from identity.login_attempts where user_id is null and method = 'passkey'`,
    )
    return rows.length
  }
  const before = await count()
  for (let round = 1; round <= 3; round += 1) {
    const stranger = createAuthenticator()
    expect(await logInAlone(stranger, { userHandle: 'AAAA' })).toEqual({ outcome: 'wrong' })
  }
  expect((await count()) - before).toBeLessThanOrEqual(1)
})

test.each([
  ['https://auth.example', { id: 'auth.example', origin: 'https://auth.example' }],
  ['https://auth.example:8443', { id: 'auth.example', origin: 'https://auth.example:8443' }],
  ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  ['http://auth.example', undefined],
  ['http://127.0.0.1:8080', undefined],
  ['https://192.0.2.1', undefined],
  ['https://[2001:db8::1]', undefined],
])('the relying party at %s', (baseUrl, relyingParty) => {
  expect(relyingPartyAt(baseUrl)).toEqual(relyingParty)
})
