import { hash, randomUUIDv7 } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { AuthorizationCodeRecord } from '../../../src/authorization/authorization-code.ts'
import { createAuthorizationFlowStore } from '../../../src/store/authorization-flows.ts'
import type { UserGrant } from '../../../src/tokens/grant-record.ts'
import { clientGrant, userGrant } from '../../tokens/granted.ts'
import { useDatabase } from '../database.ts'
import { redirectUri, startReplica } from '../replica.ts'

const shared = useDatabase()
let codes: ReturnType<typeof startReplica>['codes']
beforeAll(() => {
  ;({ codes } = startReplica(shared.database))
})

const digestOf = (name: string) => hash('sha256', name, 'buffer')

const userOf = (name: string) => ({ userId: `the user of ${name}`, username: 'ann' })

const record = (
  name: string,
  given: Partial<UserGrant> = {},
  clientRevision = 1n,
): AuthorizationCodeRecord => ({
  digest: digestOf(name),
  grantId: randomUUIDv7(),
  grant: userGrant({ user: userOf(name), ...given }),
  clientRevision,
  redirectUri,
  codeChallenge: 'c'.repeat(43),
  grantedAt: new Date(),
  lifetime: 600,
})

const sessionGrant = (nonce: string) => ({
  sessionId: randomUUIDv7(),
  nonce,
  authenticatedAt: new Date(),
  methods: ['pwd', 'otp'],
  connectionId: undefined,
  byOrganization: false,
  claims: undefined,
  offline: false,
  sessionEndsAt: new Date(Date.now() + 3_600_000),
})

async function waitingFlow(): Promise<string> {
  const id = randomUUIDv7()
  const asked = { grant: clientGrant(), redirectUri, state: undefined, namedOrganization: undefined }
  const flow = { ...asked, id, codeChallenge: undefined, openid: undefined, lifetime: 900 }
  await createAuthorizationFlowStore(shared.database).add(flow)
  return id
}

const stored = async (name: string) =>
  (
    await shared.query(
      `select c.user_id, c.scope, c.resources, s.nonce, s.methods
       from token.authorization_codes c left join token.session_grants s using (grant_id) where code_digest = $1`,
      [digestOf(name)],
    )
  )[0]

test('codes of the same moment keep what belongs to each', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `code ${at}`)
  const added = names.map((name, at) =>
    codes.add(
      record(name, {
        scope: `read scope${at}`,
        resources: at % 3 === 0 ? [`https://api.example/${at}`] : [],
        session: at % 2 === 0 ? sessionGrant(`nonce "${at}" \\ {}`) : undefined,
      }),
      undefined,
    ),
  )
  expect(await Promise.all(added)).toEqual(names.map(() => true))
  for (const [at, name] of names.entries())
    expect(await stored(name)).toEqual({
      user_id: `the user of ${name}`,
      scope: `read scope${at}`,
      resources: at % 3 === 0 ? `https://api.example/${at}` : null,
      nonce: at % 2 === 0 ? `nonce "${at}" \\ {}` : null,
      methods: at % 2 === 0 ? ['pwd', 'otp'] : null,
    })
})

test('of codes of the same moment for one request the first is stored, and those of a changed client do not end it', async () => {
  const [flow, another, ended] = [await waitingFlow(), await waitingFlow(), randomUUIDv7()]
  await shared.query(
    `insert into token.client_changes (client_id, revision, scope, grant_types, disabled, expires_at)
     values ('client_changed', 2, '{read}', '{authorization_code}', false, 'infinity')`,
  )
  const changed = { clientId: 'client_changed' }
  const answers = await Promise.allSettled([
    codes.add(record('outdated', changed), another),
    codes.add(record('first'), flow),
    codes.add(record('second'), flow),
    codes.add(record('too late'), ended),
    codes.add(record('current', changed, 2n), another),
  ])
  expect(answers).toMatchObject([
    { reason: { code: 'temporarily_unavailable', detail: 'the client was changed meanwhile' } },
    { value: true },
    { value: false },
    { value: false },
    { value: true },
  ])
  for (const name of ['first', 'current']) expect(await stored(name)).toBeDefined()
  for (const name of ['outdated', 'second', 'too late']) expect(await stored(name)).toBeUndefined()
  expect(await shared.query('select from token.authorization_flows')).toEqual([])
})

test('a code that cannot be stored fails alone', async () => {
  const answers = await Promise.allSettled([
    codes.add(record('before'), undefined),
    codes.add(record('broken', { user: { ...userOf('broken'), username: 'an\0n' } }), undefined),
    codes.add(record('after'), undefined),
  ])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await stored('after')).toBeDefined()
})
