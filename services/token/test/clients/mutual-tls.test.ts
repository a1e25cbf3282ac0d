import { hash } from 'node:crypto'
import { createAuthorities, readAuthorities } from '@gatehouse/kit/certificates/authorities'
import type { ClientMetadata } from '@gatehouse/proto/client-columns'
import { program } from '@gatehouse/test/programs/programs'
import {
  type CertificateMaker,
  type MadeCertificate,
  ofAuthority,
  openCertificateMaker,
} from '@gatehouse/test/servers/client-certificates'
import { exportJWK, importX509 } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Presented } from '../../src/clients/client-authentication.ts'
import { NotAuthenticated } from '../../src/clients/client-authentication.ts'
import { createClientCertificates } from '../../src/clients/client-certificates.ts'
import { createClientKeys } from '../../src/clients/public-keys/client-keys.ts'
import { authenticateClient, identifyClient } from '../../src/clients/sender.ts'
import { anyMethod, findAmong, publicClient, someClient } from './clients.ts'

const openssl = await program('openssl')
const day = 86_400_000

describe.skipIf(openssl === undefined)('clients with certificates', () => {
  let maker: CertificateMaker
  let root: MadeCertificate
  let leaf: MadeCertificate
  beforeAll(async () => {
    maker = await openCertificateMaker(openssl as string)
    root = await maker.make({ subject: '/CN=root', extensions: ofAuthority })
    const names = 'DNS:App.example.com,URI:spiffe://example.com/app,email:ops@Example.com,IP:2001:db8::1'
    leaf = await maker.make({
      subject: '/O=Acme, Inc/CN=app',
      by: root,
      extensions: [`subjectAltName=${names}`],
    })
  })
  afterAll(() => maker?.remove())

  const presenting = (
    made: MadeCertificate | undefined,
    { clientSecret = '', chain = [] as MadeCertificate[] } = {},
  ): Presented => ({
    credentials: [{ clientId: 'client_a', clientSecret }],
    ...(made && { certificate: { certificate: made.der, chain: chain.map(({ der }) => der) } }),
  })

  /** Authenticates, and gives the reason where that fails. */
  async function outcome(
    client: Client,
    presented: Presented,
    changes: {
      now?: number
      methods?: string[]
      roots?: MadeCertificate[]
      identify?: typeof authenticateClient
    } = {},
  ) {
    const { now = Date.now(), methods, roots = [root], identify = authenticateClient } = changes
    const authorities = createAuthorities(
      readAuthorities('CA', Buffer.from(roots.map(({ cert }) => cert).join(''))),
    )
    const used: string[] = []
    const deps = {
      ...anyMethod,
      ...(methods && { clientAuthMethods: new Set(methods) }),
      findClient: findAmong([client]),
      certificates: createClientCertificates({ authorities: () => authorities, now: () => now }),
      noteKeyUse: (_: string, thumbprint: Uint8Array) =>
        void used.push(Buffer.from(thumbprint).toString('hex')),
      publicClientsEnabled: true,
      now: () => now,
    }
    try {
      const sender = await identify(presented, deps)
      return { client: sender.client, used }
    } catch (error) {
      if (!(error instanceof NotAuthenticated)) throw error
      return error.failed?.reason
    }
  }

  const tlsClient = (metadata: ClientMetadata, changes: Partial<Client> = {}) =>
    someClient({ tokenEndpointAuthMethod: 'tls_client_auth', secrets: [], metadata, ...changes })
  const named = { tls_client_auth_san_dns: 'app.example.com' }

  describe('of an authority', () => {
    test.each([
      { tls_client_auth_subject_dn: String.raw`cn=APP,O=Acme\, Inc` },
      { tls_client_auth_san_dns: 'app.Example.com' },
      { tls_client_auth_san_uri: 'spiffe://example.com/app' },
      { tls_client_auth_san_ip: '2001:DB8:0::1' },
      { tls_client_auth_san_email: 'ops@example.com' },
    ])('authenticate by %o', async (metadata) => {
      const client = tlsClient(metadata)
      // Its use is noted: a client that only introspects would else count as unused.
      expect(await outcome(client, presenting(leaf))).toEqual({ client, used: [hash('sha256', leaf.der)] })
    })

    test.each([
      { tls_client_auth_subject_dn: String.raw`O=Acme\, Inc,CN=app` },
      { tls_client_auth_subject_dn: 'CN=app' },
      { tls_client_auth_san_dns: 'example.com' },
      { tls_client_auth_san_uri: 'spiffe://example.com/App' },
      { tls_client_auth_san_ip: '192.0.2.1' },
      { tls_client_auth_san_email: 'Ops@example.com' },
      {},
      {
        tls_client_auth_san_dns: 'app.example.com',
        tls_client_auth_subject_dn: String.raw`CN=app,O=Acme\, Inc`,
      },
    ])('do not authenticate by %o', async (metadata) => {
      expect(await outcome(tlsClient(metadata), presenting(leaf))).toBe('wrong_certificate')
    })

    test('need a certificate', async () => {
      expect(await outcome(tlsClient(named), presenting(undefined))).toBe('no_certificate')
      expect(await outcome(tlsClient(named), presenting({ ...leaf, der: Buffer.from('x') }))).toBe(
        'wrong_certificate',
      )
    })

    test('need one of a trusted authority, that is valid', async () => {
      const other = await maker.make({ subject: '/CN=other', extensions: ofAuthority })
      const client = tlsClient(named)
      expect(await outcome(client, presenting(leaf), { roots: [other] })).toBe('untrusted_certificate')
      expect(await outcome(client, presenting(leaf), { now: Date.now() + 3 * day })).toBe(
        'expired_certificate',
      )
      expect(await outcome(client, presenting(leaf), { now: Date.now() - day })).toBe('expired_certificate')
    })

    test('prove themselves by nothing else', async () => {
      const client = tlsClient(named, { secrets: someClient().secrets })
      expect(await outcome(client, presenting(undefined, { clientSecret: 'right' }))).toBe('no_certificate')
      expect(await outcome(client, presenting(leaf, { clientSecret: 'right' }))).toBe('wrong_certificate')
      const assertion = {
        assertion: 'a.b.c',
        assertionType: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }
      expect(await outcome(client, { ...presenting(leaf), ...assertion })).toBeTypeOf('string')
    })

    test('do not authenticate while their method is off, or they are disabled', async () => {
      const client = tlsClient(named)
      expect(await outcome(client, presenting(leaf), { methods: ['private_key_jwt'] })).toBe('method_off')
      expect(await outcome(tlsClient(named, { disabled: true }), presenting(leaf))).toBe('disabled')
    })
  })

  describe('of their own', () => {
    const keyOf = async (made: MadeCertificate, certificate = made) => ({
      ...(await exportJWK(await importX509(made.cert, 'ES256'))),
      x5c: [certificate.der.toString('base64')],
    })
    const ownClient = async (...certificates: MadeCertificate[]) =>
      someClient({
        tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
        secrets: [],
        metadata: { jwks: { keys: (await Promise.all(certificates.map((one) => keyOf(one)))) as never } },
      })

    test('authenticate by each that they registered, whoever signed it', async () => {
      const [first, second] = [await maker.make(), await maker.make({ extensions: ofAuthority })]
      const client = await ownClient(first, second)
      for (const one of [first, second]) {
        const found = await outcome(client, presenting(one))
        expect(found).toMatchObject({ client, used: [expect.stringMatching(/^[0-9a-f]{64}$/)] })
      }
    })

    test('do not authenticate by another one, also with the same key or name', async () => {
      const registered = await maker.make()
      const client = await ownClient(registered)
      expect(await outcome(client, presenting(await maker.make()))).toBe('wrong_certificate')
      expect(await outcome(client, presenting(leaf))).toBe('wrong_certificate')
      expect(await outcome(client, presenting(undefined))).toBe('no_certificate')
      expect(await outcome(client, presenting(registered, { clientSecret: 'x' }))).toBe('wrong_certificate')
    })

    test('do not authenticate by a key whose certificate is that of another one', async () => {
      const [mine, stolen] = [await maker.make(), await maker.make()]
      const jwks = { keys: [await keyOf(mine, stolen)] } as never
      const client = someClient({
        tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
        metadata: { jwks },
      })
      expect(await outcome(client, presenting(stolen))).toBe('wrong_certificate')
      expect(await outcome(client, presenting(mine))).toBe('wrong_certificate')
    })

    test('do not authenticate by one that has expired', async () => {
      const registered = await maker.make()
      const client = await ownClient(registered)
      expect(await outcome(client, presenting(registered), { now: Date.now() + 3 * day })).toBe(
        'expired_certificate',
      )
    })

    test('authenticate by those at their jwks_uri, as they are now', async () => {
      const [first, second] = [await maker.make(), await maker.make()]
      const keys = async (made: MadeCertificate) => {
        const { certificate, key } = await readKey(await keyOf(made))
        return [
          { certificate, key, algorithms: new Set<never>(), kid: undefined, thumbprint: Buffer.alloc(32) },
        ]
      }
      const client = someClient({
        tokenEndpointAuthMethod: 'self_signed_tls_client_auth',
        metadata: { jwks_uri: 'https://app.example/keys' },
      })
      const [old, newer] = [await keys(first), await keys(second)]
      const deps = {
        ...anyMethod,
        keys: createClientKeys({ find: async () => old, newer: async () => newer }),
        findClient: findAmong([client]),
        certificates: createClientCertificates({ authorities: () => undefined, now: Date.now }),
        now: Date.now,
      }
      for (const one of [first, second])
        expect((await authenticateClient(presenting(one), deps)).client).toBe(client)
      await expect(authenticateClient(presenting(leaf), deps)).rejects.toMatchObject({
        code: 'invalid_client',
      })
    })
  })

  test('a certificate changes nothing for clients with a secret and public ones', async () => {
    const secret = someClient()
    expect(await outcome(secret, presenting(leaf, { clientSecret: 'right' }))).toMatchObject({
      client: secret,
    })
    expect(await outcome(secret, presenting(leaf))).toBe('no_secret')
    const open = publicClient({ clientId: 'client_a' })
    expect(
      await outcome(open, presenting(leaf), { identify: identifyClient as typeof authenticateClient }),
    ).toMatchObject({ client: open })
    expect(await outcome(open, presenting(leaf))).toBe('public_client')
  })

  test('certificates are kept, and verified anew after the authorities changed', async () => {
    let [verified, trusted] = [0, true]
    const authorities = () => ({
      chainTo: () => {
        verified += 1
        return trusted ? { from: 0, until: Date.now() + day } : undefined
      },
    })
    let current = authorities()
    let now = Date.now()
    const certificates = createClientCertificates({ authorities: () => current, now: () => now })
    const presented = { certificate: leaf.der, chain: [] }
    for (let count = 0; count < 3; count += 1) expect(certificates.read(presented)?.isTrusted).toBe(true)
    expect(verified).toBe(1)
    // Another chain is another presentation.
    certificates.read({ certificate: leaf.der, chain: [root.der] })
    expect(verified).toBe(2)
    ;[current, trusted] = [authorities(), false]
    expect(certificates.read(presented)?.isTrusted).toBe(false)
    // An authority that was not valid yet may be so by now.
    trusted = true
    expect(certificates.read(presented)?.isTrusted).toBe(false)
    now += 60_000
    expect(certificates.read(presented)?.isTrusted).toBe(true)
    for (let count = 0; count < 1_001; count += 1)
      certificates.read({ certificate: Buffer.from(`no certificate ${count}`), chain: [] })
    const before = verified
    certificates.read(presented)
    expect(verified).toBe(before + 1)
  })
})

async function readKey(jwk: object) {
  const { readPublicKey } = await import('@gatehouse/kit/keys/public-key')
  const read = readPublicKey(jwk)
  if (!('key' in read)) throw new Error('no key')
  return read.key
}
