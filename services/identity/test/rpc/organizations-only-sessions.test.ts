import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { type RpcServer, startRpcServer } from '@gatehouse/kit/rpc/rpc-server'
import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { ActorKind } from '@gatehouse/proto/audit/v1'
import {
  ConnectionLoginServiceService,
  ConnectionServiceService,
  LoginPurpose,
} from '@gatehouse/proto/connection/v1'
import { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { MailServiceService } from '@gatehouse/proto/mail/v1'
import { InvitationServiceService } from '@gatehouse/proto/organization/v1'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appId } from '../../src/factors/factor-change.ts'
import { connectionLoginRpcs } from '../../src/rpc/connection-login-rpc.ts'
import { connectionRpcs } from '../../src/rpc/connection-rpc.ts'
import { mailRpcs } from '../../src/rpc/mail-rpc.ts'
import { invitationRpcs } from '../../src/rpc/organization-invitation-rpc.ts'
import { identityRpcs } from '../../src/rpc/rpc.ts'
import { useConnections } from '../connections/connections.ts'
import { connectionsOver, existing } from '../logins/connections.ts'
import { invitationDeps, useInvitations } from '../organizations/inviting.ts'
import { addOrganization } from '../organizations/organizations.ts'
import { mailDeps } from '../store/mail/mails.ts'
import { rightPassword } from '../store/replica.ts'

const { shared, addPerson, invited } = useInvitations()
const { link, logInByMember } = connectionsOver(shared)
const { add, deps, loginDeps, standIn } = useConnections(shared)

type Answer = (request: object) => Promise<unknown>
let server: RpcServer
let clients: (Record<string, Answer> & { close(): void })[] = []
beforeAll(async () => {
  const replica = shared.replica()
  const { log } = recordedLog()
  const options = { host: '127.0.0.1', port: 0, actor: 'identity', log, registry: new Registry() }
  const implementations = [
    identityRpcs(replica),
    mailRpcs(mailDeps(replica)),
    invitationRpcs(invitationDeps(replica)),
    connectionRpcs(deps()),
    connectionLoginRpcs(loginDeps()),
  ]
  server = await startRpcServer(implementations, options, () => undefined)
  clients = [
    IdentityServiceService,
    MailServiceService,
    InvitationServiceService,
    ConnectionServiceService,
    ConnectionLoginServiceService,
  ].map((service) => createRpcClient(service, `127.0.0.1:${server.port}`, 5_000) as never)
})
afterAll(async () => {
  for (const client of clients) client.close()
  await server.close(0)
})

/** What is sent with the secret: a request that one's own session would get an answer to. */
type Sent = {
  sessionId: string
  linkSecret: string
  link: { connectionId: string; issuer: string; subject: string }
}
type Request = (secret: string, sent: Sent) => object
const plainly =
  (fields: object = {}): Request =>
  (sessionSecret) => ({ sessionSecret, ...fields })
const asOwner =
  (fields: object = {}): Request =>
  (value) => ({ owner: { owner: { $case: 'sessionSecret', value } }, ...fields })
const caller = { ipAddress: '192.0.2.9', userAgent: 'A browser' }
const browser = { browser: { ...caller, knownUsers: [] } }

const requests: Record<string, Request> = {
  getSession: plainly(),
  getSessions: (sessionSecret) => ({ items: [{ sessionSecret }] }),
  changePassword: plainly({
    ...{ ...caller, currentPassword: rightPassword, newPassword: 'another good password', keepAccess: true },
  }),
  changeOwnAttributes: plainly({ attributes: { name: 'Ann' } }),
  grantConsent: (sessionSecret, { sessionId }) => ({
    ...{ sessionSecret, sessionId, clientId: 'client_a', scope: 'read' },
  }),
  getSecondFactor: asOwner(),
  proveSecondFactor: asOwner({ ...browser, factor: { $case: 'recoveryCode', value: '0000' } }),
  beginPasskeyEnrolment: asOwner(),
  enrolPasskey: asOwner({ ...browser, answer: '{}', name: 'Key' }),
  beginAppEnrolment: asOwner(),
  enrolApp: asOwner({ ...browser, code: '000000' }),
  renamePasskey: plainly({ passkeyId: '0190f0a0-0000-7000-8000-00000000000a', name: 'Key' }),
  removeFactor: plainly({ factorId: appId }),
  renewRecoveryCodes: plainly(),
  recordDataDownload: plainly(caller),
  deleteOwnAccount: plainly({ ...caller, language: 'en' }),
  requestAddressConfirmation: plainly({ language: 'en' }),
  removeLink: (sessionSecret, { link }) => ({
    ...{ ...link, sessionSecret, userId: link.subject },
    actor: { ...caller, kind: ActorKind.ACTOR_KIND_USER, id: link.subject, name: 'ann' },
  }),
  beginLogin: (sessionSecret, { link: { connectionId } }) => ({
    ...{ sessionSecret, connectionId, again: false, purpose: LoginPurpose.LOGIN_PURPOSE_LINK },
  }),
  acceptInvitation: (sessionSecret, { linkSecret }) => ({ ...caller, sessionSecret, linkSecret }),
}

/** The RPCs of a contract whose requests have the secret of a session, on which something is decided by it. */
function rpcsWithSecret(contract: string): string[] {
  const source = readFileSync(new URL(`../../../../proto/gatehouse/${contract}`, import.meta.url), 'utf8')
  const secret = / (string session_secret|FactorOwner owner|repeated GetSessionRequest items) = /
  const messages = [...source.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)]
    .filter(([, name = '', body = '']) => name.endsWith('Request') && secret.test(body))
    .map(([, name]) => name)
  return [...source.matchAll(/rpc (\w)(\w*)\((?:stream )?(\w+)\)/g)]
    .filter(([, , , request]) => messages.includes(request))
    .map(([, first = '', rest = '']) => first.toLowerCase() + rest)
}

test('each request with the secret of a session is among those that are tried', () => {
  const contracts = ['connection', 'identity', 'mail', 'organization'].map(
    (name) => `${name}/v1/${name}.proto`,
  )
  expect(contracts.flatMap(rpcsWithSecret).sort()).toEqual(Object.keys(requests).sort())
})

/** A person with a session of their own, and one with logins by an organization alone. */
async function person(hasApp: boolean) {
  const user = await addPerson()
  const { organizationId } = await addOrganization(shared.replica(), { [user.id]: 'member' })
  const connection = await add({ organizationId })
  const { issuer } = standIn()
  await link(connection, user, issuer)
  const { secret, session } = existing(await logInByMember(connection, user, { issuer }))
  const own = await shared.browserOf(user.username)
  if (hasApp)
    await shared.query(`insert into identity.totp_factors (user_id, seed, last_step) values ($1, 'x', 0)`, [
      user.id,
    ])
  const other = await addOrganization(shared.replica())
  const { secret: linkSecret } = await invited(other.organizationId, { address: user.email })
  const { connectionId } = connection
  const linked = { connectionId, issuer, subject: user.id }
  return { member: { secret, id: session.id }, own, linkSecret, link: linked }
}

test.each(Object.entries(requests))(
  '%s takes a session by organizations for an unknown one',
  async (name, request) => {
    const { member, own, ...sent } = await person(name === 'proveSecondFactor')
    const call = existing(clients.find((client) => client[name] !== undefined)?.[name])
    const outcome = (secret: string, sessionId: string) =>
      call(request(secret, { sessionId, ...sent })).then(
        (answer) => ({ answer }),
        ({ code, description }) => ({ code, description }),
      )
    const unknown = await outcome(randomBytes(32).toString('base64url'), member.id)
    for (const text of [member.secret, `member:${member.secret}`])
      expect(await outcome(text, member.id)).toEqual(unknown)
    expect(await outcome(own.secret, own.id)).not.toEqual(unknown)
  },
)

test('a session by organizations is given to those alone who ask for any login', async () => {
  const { member, own } = await person(false)
  const [client] = clients
  const { getSession, getSessions } = existing(client) as Record<string, Answer>
  const asked = { sessionSecret: member.secret, anyLogin: true }
  const session = {
    ...{ sessionId: member.id, organizationsOnly: true, methods: [] },
    organizationLogins: { logins: [{ authenticatedAt: expect.any(Date), methods: ['pwd'] }] },
  }
  expect(await existing(getSession)(asked)).toMatchObject({ session })
  const items = [asked, { ...asked, anyLogin: false }, { sessionSecret: own.secret, anyLogin: true }]
  const { results } = (await existing(getSessions)({ items })) as { results: object[] }
  const found = (value: object) => ({ outcome: { $case: 'response', value } })
  expect(results).toMatchObject([
    found({ session }),
    found({ session: undefined }),
    found({ session: { sessionId: own.id, organizationsOnly: undefined, organizationLogins: undefined } }),
  ])
})
