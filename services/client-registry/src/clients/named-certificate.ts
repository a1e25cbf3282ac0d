import { Refusal } from '@gatehouse/kit/errors'
import type { ClientDocument } from '@gatehouse/proto/client-columns'
import { certificateFieldEntries } from '@gatehouse/proto/client-metadata'
import { verifyingKeys } from './key-set.ts'

const names = certificateFieldEntries.map(([name]) => name)

/**
 * Refuses a client with mutual TLS whose certificate its metadata does not say: by exactly one name in it for `tls_client_auth` (RFC 8705
 * section 2.1.2), by itself among the keys for `self_signed_tls_client_auth` (section 2.2.2).
 * @throws Refusal invalid_request
 */
export function refuseUnnamedCertificate(document: Partial<ClientDocument>): void {
  const { token_endpoint_auth_method: method, jwks } = document
  const present = names.filter((name) => document[name] !== undefined)
  if (method === 'tls_client_auth' && present.length !== 1)
    throw new Refusal(
      'invalid_request',
      `token_endpoint_auth_method tls_client_auth needs exactly one of ${names.join(', ')}.`,
    )
  const certified = jwks === undefined || verifyingKeys(jwks).some(({ key }) => key.certificate !== undefined)
  if (method === 'self_signed_tls_client_auth' && !certified)
    throw new Refusal(
      'invalid_request',
      'jwks has no key with its certificate in x5c, which self_signed_tls_client_auth needs.',
    )
}
