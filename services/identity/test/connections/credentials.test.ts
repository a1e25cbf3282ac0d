import { randomBytes, randomUUID } from 'node:crypto'
import { keepNothing } from '@gatehouse/data/pending-events'
import { reencryptionRpcs } from '@gatehouse/data/reencryption'
import { ActorKind } from '@gatehouse/proto/audit/v1'
import { describe, expect, test } from 'vitest'
import { updateConnection } from '../../src/connections/connection-change.ts'
import { createConnectionEncryption } from '../../src/connections/connection-secrets.ts'
import { beginConnectionLogin } from '../../src/connections/login-begin.ts'
import { findByAddress, findOffer, listOffers } from '../../src/connections/offer.ts'
import { encryptedCredentials } from '../../src/store/connections/secret-reencryption.ts'
import { encryptedSeeds } from '../../src/store/factors/seed-reencryption.ts'
import { addOrganization, setDisabled } from '../organizations/organizations.ts'
import { actor } from '../store/replica.ts'
import { factorKey, useConnections } from './connections.ts'

const { shared, standIn, deps, add, loginDeps, begin, comeBack, finish, run, lines } = useConnections()

test('a login authenticates with the key of the connection, which is published', async () => {
  const { connectionId, clientPublicKey } = await add({
    ...{ clientAuthentication: 'private_key_jwt', clientSecret: undefined, newUsers: 'always' },
  })
  standIn().person = { sub: `person-${randomUUID()}`, name: 'Ann' }
  standIn().publicKey = { ...clientPublicKey }
  expect(await run(connectionId)).toMatchObject({ outcome: 'right' })
  const redemption = standIn().requests.findLast(({ line }) => line === 'POST /token')
  expect(redemption?.parameters.get('client_assertion')).toBeTruthy()
})

test('a login pushes its request and proves possession where the provider offers that', async () => {
  const { connectionId } = await add({ newUsers: 'always' })
  standIn().person = { sub: `person-${randomUUID()}`, name: 'Ann' }
  standIn().requests.length = 0
  expect(await run(connectionId, { begin: { loginHint: 'ann@example.com' } })).toMatchObject({
    outcome: 'right',
  })
  const lines = standIn().requests.map(({ line }) => line)
  expect(lines).toContain('POST /request')
  expect(lines).toContain('GET /me')
  const pushed = standIn().requests.find(({ line }) => line === 'POST /request')
  expect(pushed?.parameters.get('login_hint')).toBe('ann@example.com')
})

test('a wrong secret is named in the log, and to people who try the connection alone', async () => {
  const administrator = await shared.addUser({ adminRole: 'owner' })
  const { secret } = await shared.browserOf(administrator.username)
  const { connectionId } = await add({ newUsers: 'always' })
  standIn().register(`https://auth.example/auth/callback/${connectionId}`)
  const trying = { purpose: 'test', sessionSecret: secret } as const
  const [login, tried] = [await begin(connectionId), await begin(connectionId, trying)]
  const [query, queryOfTry] = [await comeBack(login), await comeBack(tried)]
  const detail = 'the provider refused: invalid_client (check the client id, and the secret or the key)'

  await updateConnection({ connectionId, revision: 0n, clientSecret: 'wrong' }, actor, deps())
  lines.length = 0
  expect(await finish(login, query)).not.toHaveProperty('detail')
  expect(await finish(tried, queryOfTry, { previousSecret: secret })).toMatchObject({
    ...{ outcome: 'bad answer', detail },
  })
  const wanted = { connectionId, again: false }
  expect(await beginConnectionLogin({ ...wanted, ...trying }, loginDeps())).toMatchObject({ detail })
  const refused = await beginConnectionLogin({ ...wanted, purpose: 'login' }, loginDeps())
  expect(refused).toMatchObject({ problem: 'bad answer', detail: undefined })
  expect(lines.map((line) => line.detail)).toEqual(Array(4).fill(detail))
})

test('the secrets and keys of connections are encrypted with the current key', async () => {
  const bySecret = await add()
  const byKey = await add({ clientAuthentication: 'private_key_jwt', clientSecret: undefined })
  const other = createConnectionEncryption(
    ['another factor key of the tests, 32 chars', factorKey],
    randomBytes,
  )
  const { database } = shared.replica()
  const contents = [encryptedSeeds(database, undefined), ...encryptedCredentials(other)] as const
  const { handlers } = reencryptionRpcs(database, 'identity', keepNothing, ...contents) as unknown as {
    handlers: { reencrypt(request: object): Promise<{ next: string; rewritten: number }> }
  }
  const asked = { kind: ActorKind.ACTOR_KIND_USER, id: actor.id, name: actor.name, ipAddress: '192.0.2.1' }
  let rewritten = 0
  let after = ''
  do {
    const done = await handlers.reencrypt({ actor: asked, after })
    rewritten += done.rewritten
    after = done.next
  } while (after !== '')
  const { rows } = { rows: await shared.query('select client_secret, client_key from identity.connections') }
  expect(rewritten).toBe(rows.length)
  const only = createConnectionEncryption('another factor key of the tests, 32 chars', randomBytes)
  const row = async (id: string) =>
    (
      await shared.query(
        'select client_secret, client_key from identity.connections where connection_id = $1',
        [id],
      )
    )[0] as {
      client_secret: Buffer
      client_key: Buffer
    }
  expect(
    only.decrypt((await row(bySecret.connectionId)).client_secret, bySecret.connectionId).toString(),
  ).toContain('secret')
  expect(
    JSON.parse(only.decrypt((await row(byKey.connectionId)).client_key, byKey.connectionId).toString()),
  ).toHaveProperty('d')
  await shared.query('delete from identity.connections')
})

describe('offers', () => {
  const offered = async (which: Parameters<typeof listOffers>[0], of = loginDeps()) =>
    (await listOffers(which, of)).offers.map(({ connectionId }) => connectionId)

  test('are told one by one while people may log in, and whether strangers may link by their address', async () => {
    const user = await shared.addUser()
    const { organizationId } = await addOrganization(shared.replica(), { [user.id]: 'owner' })
    const { connectionId } = await add({ organizationId })
    const nothing = { offer: undefined, takesByAddress: false }
    expect(await findOffer(connectionId, loginDeps())).toMatchObject({
      offer: { connectionId, organizationId },
      takesByAddress: true,
    })
    expect(await findOffer(connectionId, loginDeps({ isOn: false }))).toEqual(nothing)
    expect(await findOffer(randomUUID(), loginDeps())).toEqual(nothing)
    const instance = await add()
    expect(await findOffer(instance.connectionId, loginDeps())).toMatchObject({ takesByAddress: false })
    await shared.query('update identity.organizations set disabled_at = now() where organization_id = $1', [
      organizationId,
    ])
    expect(await findOffer(connectionId, loginDeps())).toEqual(nothing)
    await updateConnection(
      { connectionId: instance.connectionId, revision: 0n, disabled: true },
      actor,
      deps(),
    )
    expect(await findOffer(instance.connectionId, loginDeps())).toEqual(nothing)
  })

  test('of the instance are on each login page, and those of an organization on its own', async () => {
    const user = await shared.addUser()
    const { organizationId } = await addOrganization(shared.replica(), { [user.id]: 'owner' })
    const instance = await add({ name: `A ${randomUUID()}` })
    const hidden = await add({ onLoginPage: false })
    const theirs = await add({ organizationId })
    const ids = await offered({})
    expect(ids).toContain(instance.connectionId)
    expect(ids).not.toContain(hidden.connectionId)
    expect(ids).not.toContain(theirs.connectionId)
    expect(await offered({ organizationId })).toEqual(
      expect.arrayContaining([instance.connectionId, theirs.connectionId]),
    )
    expect(await offered({ userId: user.id })).toContain(theirs.connectionId)
    expect(await offered({ userId: (await shared.addUser()).id })).not.toContain(theirs.connectionId)
    expect(await listOffers({ organizationId }, loginDeps({ isOn: false }))).toEqual({
      offers: [],
      byAddress: false,
    })
    await updateConnection(
      { connectionId: instance.connectionId, revision: 0n, disabled: true },
      actor,
      deps(),
    )
    expect(await offered({})).not.toContain(instance.connectionId)
    await setDisabled(shared.replica(), organizationId, true)
    expect(await offered({ organizationId })).not.toContain(theirs.connectionId)
  })

  test('lead an address to the organization that has proven its domain', async () => {
    const { organizationId } = await addOrganization(shared.replica())
    const domain = `d-${randomUUID()}.example.com`
    const theirs = await add({ organizationId, domains: [domain] })
    const find = (address: string) => findByAddress(address, loginDeps())
    expect(await find(`ann@${domain}`)).toBeUndefined()
    const instance = await add({ domains: [domain] })
    expect(await find(` Ann@${domain.toUpperCase()} `)).toBe(instance.connectionId)
    await shared.query(
      `insert into identity.organization_domains (organization_id, domain, challenge, proven_at) values ($1, $2, 'x', now())`,
      [organizationId, domain],
    )
    expect(await find(domain)).toBe(theirs.connectionId)
    expect((await listOffers({}, loginDeps())).byAddress).toBe(true)
    await shared.query('update identity.organization_domains set lost_at = now() where domain = $1', [domain])
    expect(await find(domain)).toBe(instance.connectionId)
    expect(await find('no address')).toBeUndefined()
  })
})
