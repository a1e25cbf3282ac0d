import { program } from '@gatehouse/test/programs/programs'
import {
  type CertificateMaker,
  type MadeCertificate,
  openCertificateMaker,
} from '@gatehouse/test/servers/client-certificates'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCertificateHeader } from '../../src/mutual-tls/certificate-header.ts'
import { gateway } from '../../testing/gateway.ts'

const openssl = await program('openssl')

describe.skipIf(openssl === undefined)('certificates in headers', () => {
  let maker: CertificateMaker
  let leaf: MadeCertificate
  let issuer: MadeCertificate
  beforeAll(async () => {
    maker = await openCertificateMaker(openssl as string)
    issuer = await maker.make({ subject: '/CN=issuer' })
    leaf = await maker.make({ by: issuer })
  })
  afterAll(() => maker?.remove())

  const sequence = ({ der }: MadeCertificate) => `:${der.toString('base64')}:`
  const escaped = ({ cert }: MadeCertificate) => encodeURIComponent(cert)

  describe('forms', () => {
    test('of RFC 9440', () => {
      expect(readCertificateHeader('client-cert', sequence(leaf))).toEqual({
        ...{ certificate: leaf.der, chain: [] },
      })
      const chain = `${sequence(issuer)}, ${sequence(leaf)}`
      expect(readCertificateHeader('client-cert', ` ${sequence(leaf)} `, chain)).toEqual({
        ...{ certificate: leaf.der, chain: [issuer.der, leaf.der] },
      })
    })

    test('of nginx', () => {
      expect(readCertificateHeader('x-client-cert', escaped(leaf))).toEqual({
        ...{ certificate: leaf.der, chain: [] },
      })
    })

    test('of Envoy', () => {
      const facts = 'By=spiffe://b/x;Hash=468ed3;Subject="CN=a\\"b,O=c;d";URI=spiffe://a'
      const value = `${facts};Cert="${escaped(leaf)}";DNS=a.example;DNS=b.example`
      expect(readCertificateHeader('x-forwarded-client-cert', value)).toEqual({
        ...{ certificate: leaf.der, chain: [] },
      })
      const chain = encodeURIComponent(leaf.cert + issuer.cert)
      expect(readCertificateHeader('x-forwarded-client-cert', `${value};Chain="${chain}"`)).toEqual({
        ...{ certificate: leaf.der, chain: [issuer.der] },
      })
    })

    test.each([
      ['client-cert', () => escaped(leaf), 'sequence of bytes'],
      ['client-cert', () => `${sequence(leaf)}, ${sequence(issuer)}`, 'sequence of bytes'],
      ['client-cert', () => `${sequence(leaf)};a=1`, 'sequence of bytes'],
      ['client-cert', () => ':_-:', 'sequence of bytes'],
      ['x-client-cert', () => sequence(leaf), 'escaped PEM'],
      ['x-client-cert', () => '%', 'escaped PEM'],
      ['x-forwarded-client-cert', () => 'Hash=1', 'must have Cert once'],
      [
        'x-forwarded-client-cert',
        () => `Cert="${escaped(leaf)}";Cert="${escaped(issuer)}"`,
        'must have Cert once',
      ],
      ['x-forwarded-client-cert', () => `Hash=1;Cert="${escaped(leaf)}",Hash=2`, 'several elements'],
      ['x-forwarded-client-cert', () => `Hash=1,Hash=2;Cert="${escaped(leaf)}"`, 'several elements'],
      ['x-forwarded-client-cert', () => `Cert="${escaped(leaf)}`, 'malformed'],
      ['x-forwarded-client-cert', () => 'Cert', 'malformed'],
      ['x-forwarded-client-cert', () => `Cert="${escaped(leaf)}${escaped(issuer)}"`, 'one certificate'],
      [
        'x-forwarded-client-cert',
        () => `Cert="${escaped(leaf)}";Chain="${escaped(issuer)}"`,
        'one certificate',
      ],
    ])('%s with something else', (name, value, fault) => {
      const read = readCertificateHeader(name, value())
      expect('fault' in read && read.fault).toContain(fault)
    })

    test('of a chain that is none', () => {
      const read = readCertificateHeader('client-cert', sequence(leaf), `${sequence(issuer)}, x`)
      expect('fault' in read && read.fault).toContain('sequence of bytes')
    })
  })

  describe('requests', () => {
    async function ask(
      headers: Record<string, string | string[]>,
      { proxies = ['127.0.0.0/8'], name = 'Client-Cert', url = '/oauth/token' } = {},
    ) {
      const { app, calls } = await gateway({ certificateHeader: { name, proxies } })
      const payload = 'grant_type=client_credentials&client_id=client_a&token=x'
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await app.inject({ method: 'POST', url, payload, headers: { ...type, ...headers } })
      const request = calls[0]?.request as { presented: { certificate?: unknown } } | undefined
      return { answer, certificate: request?.presented.certificate, asked: request !== undefined }
    }

    test.each(['/oauth/token', '/oauth/introspect', '/oauth/revoke'])(
      'to %s present a certificate of a proxy',
      async (url) => {
        const headers = { 'client-cert': sequence(leaf), 'client-cert-chain': sequence(issuer) }
        const { answer, certificate } = await ask(headers, { url })
        expect(answer.statusCode).toBe(200)
        expect(certificate).toEqual({ certificate: leaf.der, chain: [issuer.der] })
      },
    )

    test.each([
      ['from elsewhere', () => ({ 'client-cert': sequence(leaf) }), { proxies: ['192.0.2.0/24'] }],
      [
        'with a chain from elsewhere',
        () => ({ 'client-cert-chain': sequence(leaf) }),
        { proxies: ['192.0.2.1'] },
      ],
      ['with an empty one from elsewhere', () => ({ 'client-cert': '' }), { proxies: ['192.0.2.1'] }],
      ['with two', () => ({ 'client-cert': [sequence(leaf), sequence(leaf)] }), {}],
      ['with a chain alone', () => ({ 'client-cert-chain': sequence(leaf) }), {}],
      ['with something else', () => ({ 'client-cert': 'x' }), {}],
      ['with a huge one', () => ({ 'client-cert': `:${'A'.repeat(12_000)}:` }), {}],
    ])('%s are refused', async (_, headers, options) => {
      const { answer, asked } = await ask(headers(), options)
      expect(answer.statusCode).toBe(400)
      expect(answer.json().error).toBe('invalid_request')
      expect(asked).toBe(false)
    })

    test('without one, with an empty one, or with that of other proxies present nothing', async () => {
      for (const headers of [{}, { 'client-cert': '' }, { 'x-forwarded-client-cert': 'Hash=1' }]) {
        const { answer, certificate } = await ask(headers)
        expect(answer.statusCode).toBe(200)
        expect(certificate).toBeUndefined()
      }
    })

    test('to other endpoints are not refused for it', async () => {
      const { app } = await gateway({ certificateHeader: { name: 'Client-Cert', proxies: ['192.0.2.1'] } })
      const answer = await app.inject({
        ...{ url: '/.well-known/oauth-authorization-server', headers: { 'client-cert': 'x' } },
      })
      expect(answer.statusCode).toBe(200)
    })
  })
})
