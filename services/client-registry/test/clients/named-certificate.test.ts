import type { ClientDocument } from '@gatehouse/proto/client-columns'
import { program } from '@gatehouse/test/programs/programs'
import { openCertificateMaker } from '@gatehouse/test/servers/client-certificates'
import { describe, expect, test } from 'vitest'
import { jwkOfPem } from '../../src/clients/key-set.ts'
import { refuseUnnamedCertificate } from '../../src/clients/named-certificate.ts'

const openssl = await program('openssl')
const check = (method: string, document: Partial<ClientDocument> = {}) =>
  refuseUnnamedCertificate({ token_endpoint_auth_method: method, ...document })

test('a client with a certificate of an authority has exactly one name for it', () => {
  const one = { tls_client_auth_subject_dn: 'CN=app' }
  const other = { tls_client_auth_san_dns: 'app.example.com' }
  expect(() => check('tls_client_auth', one)).not.toThrow()
  expect(() => check('tls_client_auth', other)).not.toThrow()
  const fault = 'needs exactly one of tls_client_auth_subject_dn, tls_client_auth_san_dns'
  expect(() => check('tls_client_auth')).toThrow(fault)
  expect(() => check('tls_client_auth', { ...one, ...other })).toThrow(fault)
  expect(() => check('client_secret_basic')).not.toThrow()
})

describe.skipIf(openssl === undefined)('a client with a certificate of its own', () => {
  test('has it among its keys', async () => {
    const maker = await openCertificateMaker(openssl as string)
    try {
      const { cert } = await maker.make()
      const { x5c, ...bare } = jwkOfPem(cert) as { x5c: string[] }
      const jwks = (...keys: object[]) => ({ jwks: { keys } }) as Partial<ClientDocument>
      expect(() => check('self_signed_tls_client_auth', jwks(bare, { ...bare, x5c }))).not.toThrow()
      expect(() => check('self_signed_tls_client_auth', jwks(bare))).toThrow('in x5c')
      expect(() => check('private_key_jwt', jwks(bare))).not.toThrow()
      expect(() =>
        check('self_signed_tls_client_auth', { jwks_uri: 'https://app.example/keys' }),
      ).not.toThrow()
    } finally {
      await maker.remove()
    }
  })
})
