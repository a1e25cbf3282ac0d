import { X509Certificate } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import {
  type CertificateMaker,
  type MadeCertificate,
  ofAuthority,
  openCertificateMaker,
  type WantedCertificate,
} from '@gatehouse/test/servers/client-certificates'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthorities, readAuthorities } from '../../src/certificates/authorities.ts'
import { canonicalAddress, readCertificate } from '../../src/certificates/certificate.ts'
import { canonicalNameOf } from '../../src/certificates/distinguished-name.ts'

const openssl = await program('openssl')

describe.skipIf(openssl === undefined)('certificates of clients', () => {
  let maker: CertificateMaker
  let root: MadeCertificate
  const day = 86_400_000
  beforeAll(async () => {
    maker = await openCertificateMaker(openssl as string)
    root = await maker.make({ subject: '/CN=root', extensions: ofAuthority })
  })
  afterAll(() => maker?.remove())

  function read({ der }: MadeCertificate) {
    const certificate = readCertificate(der)
    if (certificate === undefined) throw new Error('unreadable')
    return certificate
  }

  function chainOf(
    leaf: MadeCertificate,
    {
      chain = [],
      roots = [root],
      now = Date.now(),
    }: {
      chain?: MadeCertificate[]
      roots?: MadeCertificate[]
      now?: number
    } = {},
  ) {
    const anchors = readAuthorities('CA', Buffer.from(roots.map(({ cert }) => cert).join('')))
    return createAuthorities(anchors).chainTo(read(leaf), chain.map(read), now)
  }

  const authority = (wanted: WantedCertificate = {}) =>
    maker.make({ subject: '/CN=intermediate', by: root, extensions: ofAuthority, ...wanted })

  test('reads the names of a subject', async () => {
    const names =
      'DNS:App.example.com,URI:spiffe://example.com/app,email:ops@example.com,IP:192.0.2.1,IP:2001:db8::1'
    const made = await maker.make({
      subject: '/C=DE/O=Lučić, Inc/OU=a+OU=b/CN=app',
      extensions: [`subjectAltName=${names}`],
      more: [],
    })
    const { subject, names: read_, digest } = read(made)
    expect(read_).toEqual({
      dns: ['App.example.com'],
      uri: ['spiffe://example.com/app'],
      email: ['ops@example.com'],
      ip: ['192.0.2.1', '2001:db8::1'],
    })
    expect(subject).toBeDefined()
    expect(subject).toBe(canonicalNameOf(String.raw`CN=app,OU=a+OU=b,O=Lučić\, Inc,C=DE`) ?? '')
    expect(digest.toString('hex')).toBe(
      new X509Certificate(made.cert).fingerprint256.replaceAll(':', '').toLowerCase(),
    )
  })

  test('reads addresses in one form', () => {
    expect(canonicalAddress('2001:DB8:0:0:0:0:0:1')).toBe('2001:db8::1')
    expect(canonicalAddress('192.0.2.1')).toBe('192.0.2.1')
    for (const text of ['192.0.2.01', '1', 'fe80::1%eth0', 'example.com', ''])
      expect(canonicalAddress(text), text).toBeUndefined()
  })

  test.each([
    ['without extensions', {}],
    ['for clients', { extensions: ['extendedKeyUsage=clientAuth', 'keyUsage=digitalSignature'] }],
    ['with policies', { extensions: ['certificatePolicies=critical,1.2.3.4'] }],
    ['with an RSA key', { key: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'] }],
    ['with an Ed25519 key', { key: ['-algorithm', 'ED25519'] }],
  ] satisfies [string, WantedCertificate][])('finds a chain to a certificate %s', async (_, wanted) => {
    const leaf = await maker.make({ by: root, ...wanted })
    const found = chainOf(leaf)
    expect(found?.until).toBe(Math.min(read(leaf).validUntil, read(root).validUntil))
  })

  test.each([
    ['of nobody known', { by: undefined }],
    ['for servers alone', { extensions: ['extendedKeyUsage=serverAuth'] }],
    ['that may only encrypt', { extensions: ['keyUsage=keyEncipherment'] }],
    ['of an authority', { extensions: ofAuthority }],
    ['with an unknown critical extension', { extensions: ['1.2.3.4=critical,DER:0500'] }],
    ['signed by SHA-1', { more: ['-sha1'] }],
    ['that has expired', { days: -1 }],
    ['with a short RSA key', { key: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'] }],
  ] satisfies [string, WantedCertificate][])('finds no chain to a certificate %s', async (_, wanted) => {
    expect(chainOf(await maker.make({ by: root, ...wanted }))).toBeUndefined()
  })

  test('finds a chain over authorities that the client sends, in any order', async () => {
    const first = await authority({ subject: '/CN=first' })
    const second = await authority({ subject: '/CN=second', by: first })
    const leaf = await maker.make({ by: second })
    expect(chainOf(leaf, { chain: [second, first] })).toBeDefined()
    expect(chainOf(leaf, { chain: [root, first, second] })).toBeDefined()
    expect(chainOf(leaf, { chain: [second] })).toBeUndefined()
    expect(chainOf(leaf, { chain: [second], roots: [first] })).toBeDefined()
  })

  test('trusts no authority that only has the name of one', async () => {
    const impostor = await maker.make({ subject: '/CN=root', extensions: ofAuthority })
    const leaf = await maker.make({ by: impostor })
    expect(chainOf(leaf, { chain: [impostor] })).toBeUndefined()
  })

  test.each([
    ['is none', { extensions: ['basicConstraints=CA:FALSE'] }],
    ['says nothing of that', { extensions: [] }],
    ['may not sign', { extensions: ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,cRLSign'] }],
    ['is for servers alone', { extensions: [...ofAuthority, 'extendedKeyUsage=serverAuth'] }],
    ['has expired', { extensions: ofAuthority, days: -1 }],
    [
      'has name constraints',
      { extensions: [...ofAuthority, 'nameConstraints=critical,permitted;DNS:a.example'] },
    ],
  ] satisfies [string, WantedCertificate][])(
    'does not rely on an intermediate authority that %s',
    async (_, wanted) => {
      const intermediate = await authority(wanted)
      const leaf = await maker.make({ by: intermediate })
      expect(chainOf(leaf, { chain: [intermediate] })).toBeUndefined()
    },
  )

  test('keeps to the length of paths', async () => {
    const short = await authority({ extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0'] })
    const below = await authority({ subject: '/CN=below', by: short })
    expect(chainOf(await maker.make({ by: short }), { chain: [short] })).toBeDefined()
    expect(chainOf(await maker.make({ by: below }), { chain: [short, below] })).toBeUndefined()
    expect(chainOf(await maker.make({ by: below }), { chain: [below], roots: [short] })).toBeUndefined()
  })

  test('counts while each link is valid', async () => {
    const intermediate = await authority({ days: 1 })
    const leaf = await maker.make({ by: intermediate })
    const found = chainOf(leaf, { chain: [intermediate] })
    expect(found?.until).toBe(read(intermediate).validUntil)
    expect(chainOf(leaf, { chain: [intermediate], now: (found?.until ?? 0) + 1 })).toBeUndefined()
    expect(chainOf(leaf, { chain: [intermediate], now: Date.now() - day })).toBeUndefined()
  })

  test.each([
    ['nothing', async () => '', 'it holds none'],
    [
      'what is none',
      async () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      'certificate 1 cannot be read',
    ],
    [
      'a certificate of no authority',
      async () => root.cert + (await maker.make()).cert,
      'certificate 2 is not that of an authority',
    ],
    [
      'name constraints',
      async () =>
        (await authority({ extensions: [...ofAuthority, 'nameConstraints=permitted;DNS:a.example'] })).cert,
      'certificate 1 has name constraints',
    ],
  ])('refuses a file of authorities with %s', async (_, content, fault) => {
    const pem = Buffer.from(await content())
    expect(() => readAuthorities('OAUTH2_CLIENT_CERTIFICATE_CA', pem)).toThrow(fault)
  })
})
