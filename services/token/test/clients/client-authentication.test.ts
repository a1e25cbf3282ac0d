import { expect, test } from 'vitest'
import type { Client, PresentedCredentials } from '../../src/clients/client-authentication.ts'
import { authenticateClient, identifyClient } from '../../src/clients/sender.ts'
import { anyMethod, findAmong, kept, publicClient, someClient } from './clients.ts'

const now = 1_900_000_000_000

const authenticate = async (client: Client, readings: PresentedCredentials[]) => {
  const deps = { ...anyMethod, findClient: findAmong([client]), now: () => now }
  return (await authenticateClient({ credentials: readings }, deps)).client
}

const reading = (clientSecret: string, clientId = 'client_a') => ({ clientId, clientSecret })

test('authenticates a client with its secret', async () => {
  const client = someClient()
  expect(await authenticate(client, [reading('right')])).toBe(client)
})

test('gives the same error whatever is wrong', async () => {
  const disabled = someClient({ disabled: true })
  const expired = someClient({ secrets: [kept('right', now - 1)] })
  const bare = someClient({ secrets: [] })
  const failures = await Promise.all(
    [
      authenticate(someClient(), [reading('wrong')]),
      authenticate(someClient(), [reading('')]),
      authenticate(someClient(), [reading('right', 'client_b')]),
      authenticate(disabled, [reading('right')]),
      authenticate(expired, [reading('right')]),
      authenticate(bare, [reading('right')]),
      authenticate(bare, [reading('')]),
    ].map((attempt) =>
      attempt.then(
        () => 'succeeded',
        ({ code, description }) => ({ code, description }),
      ),
    ),
  )
  expect(new Set(failures.map((failure) => JSON.stringify(failure))).size).toBe(1)
  expect(failures[0]).toMatchObject({ code: 'invalid_client' })
})

test('asks for credentials when none were sent', async () => {
  await expect(authenticate(someClient(), [])).rejects.toMatchObject({
    code: 'invalid_client',
    description: expect.stringContaining('client_id and client_secret'),
  })
})

test('accepts one correct reading of two', async () => {
  const client = someClient({ secrets: [kept('a+b')] })
  expect(await authenticate(client, [reading('a b'), reading('a+b')])).toBe(client)
  expect(await authenticate(client, [reading('a+b'), reading('a b')])).toBe(client)
  await expect(authenticate(client, [reading('a b'), reading('a%2Bb')])).rejects.toMatchObject({
    code: 'invalid_client',
  })
})

test('accepts readings that name different clients', async () => {
  const client = someClient({ clientId: 'client a' })
  const readings = [reading('right', 'client+a'), reading('right', 'client a')]
  expect(await authenticate(client, readings)).toBe(client)
})

test('accepts the previous and the new secret during a rotation, the previous one until it expires', async () => {
  const secrets = [kept('old', now + 1), kept('new')]
  const client = someClient({ secrets })
  expect(await authenticate(client, [reading('old')])).toBe(client)
  expect(await authenticate(client, [reading('new')])).toBe(client)
  const later = { ...anyMethod, findClient: findAmong([client]), now: () => now + 1 }
  await expect(authenticateClient({ credentials: [reading('old')] }, later)).rejects.toMatchObject({
    code: 'invalid_client',
  })
  expect((await authenticateClient({ credentials: [reading('new')] }, later)).client).toBe(client)
})

test('does not report an unavailable registry as a wrong secret', async () => {
  const away = new Error('away')
  const deps = { ...anyMethod, findClient: () => Promise.reject(away), now: () => now }
  await expect(authenticateClient({ credentials: [reading('right')] }, deps)).rejects.toBe(away)
})

const identify = async (client: Client, clientSecret: string, publicClientsEnabled = true) => {
  const deps = { ...anyMethod, findClient: findAmong([client]), now: () => now, publicClientsEnabled }
  return (await identifyClient({ credentials: [reading(clientSecret)] }, deps)).client
}
const nobody = { code: 'invalid_client' }

test('identifies a public client by its id only where public clients are allowed', async () => {
  const client = publicClient()
  expect(await identify(client, '')).toBe(client)
  await expect(identify(client, '', false)).rejects.toMatchObject(nobody)
  await expect(authenticate(client, [reading('')])).rejects.toMatchObject(nobody)
})

test('accepts no secret for a public client, not even a stored one', async () => {
  for (const secrets of [[], [kept('right')], [kept('')]]) {
    const client = publicClient({ secrets })
    await expect(identify(client, 'right')).rejects.toMatchObject(nobody)
    await expect(authenticate(client, [reading('right')])).rejects.toMatchObject(nobody)
    await expect(authenticate(client, [reading('')])).rejects.toMatchObject(nobody)
  }
})

test('never identifies a client with a secret by its id alone', async () => {
  for (const secrets of [[kept('right')], [], [kept('')]]) {
    const client = someClient({ secrets })
    await expect(identify(client, '')).rejects.toMatchObject(nobody)
    await expect(authenticate(client, [reading('')])).rejects.toMatchObject(nobody)
  }
  expect(await identify(someClient(), 'right')).toMatchObject({ clientId: 'client_a' })
})

test('refuses a disabled public client', async () => {
  await expect(identify(publicClient({ disabled: true }), '')).rejects.toMatchObject(nobody)
})

test.each([
  ['wrong_secret', someClient(), 'wrong'],
  ['no_secret', someClient(), ''],
  ['expired_secret', someClient({ secrets: [kept('right', now - 1)] }), 'right'],
  ['wrong_secret', someClient({ secrets: [kept('right', now - 1)] }), 'wrong'],
  ['disabled', someClient({ disabled: true }), 'right'],
  ['wrong_secret', someClient({ disabled: true }), 'wrong'],
  ['public_client', publicClient({ clientId: 'client_a' }), 'any'],
  ['public_client', publicClient({ clientId: 'client_a' }), ''],
] as const)('tells the server, but not the caller, the reason: %s', async (reason, client, secret) => {
  await expect(authenticate(client, [reading(secret)])).rejects.toMatchObject({
    code: 'invalid_client',
    description: expect.not.stringContaining('client_a'),
    failed: { clientId: 'client_a', reason },
  })
})

test('says nothing of a client that does not exist', async () => {
  const refused = authenticate(someClient(), [reading('right', 'client_b')])
  await expect(refused).rejects.toMatchObject({ code: 'invalid_client', failed: undefined })
  // Also where it need only name itself.
  const unknown = {
    ...anyMethod,
    findClient: async () => undefined,
    now: () => now,
    publicClientsEnabled: true,
  }
  await expect(identifyClient({ credentials: [reading('')] }, unknown)).rejects.toMatchObject({
    ...{ code: 'invalid_client', failed: undefined, detail: 'no such client' },
  })
})

test.each([
  ['client_a did not authenticate', someClient(), 'wrong'],
  ['client_a is disabled', someClient({ disabled: true }), 'right'],
])('the log reads: %s', async (detail, client, secret) => {
  await expect(authenticate(client, [reading(secret)])).rejects.toMatchObject({ detail })
})

test('a valid secret counts, even if the same secret expired elsewhere in the list', async () => {
  for (const secrets of [
    [kept('right'), kept('right', now - 1)],
    [kept('right', now - 1), kept('right')],
  ]) {
    const client = someClient({ secrets })
    expect(await authenticate(client, [reading('right')])).toBe(client)
  }
})
