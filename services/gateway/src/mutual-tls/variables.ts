import { ConfigurationError } from '@gatehouse/kit/config/config'
import { addressRange } from '@gatehouse/kit/fetch/address-ranges'
import { isMutualTls } from '@gatehouse/proto/client-authentication'
import { Type } from '@gatehouse/proto/typebox'
import { canonicalOrigin } from '@gatehouse/proto/url-rules'

/** The values of the variables about certificates of clients, and of those that they depend on. */
export type MutualTlsValues = {
  OAUTH2_SERVER_PUBLIC_BASE_URL: string
  OAUTH2_SERVER_PORT: number
  OAUTH2_CLIENT_AUTH_METHODS?: string
  OAUTH2_SERVER_TLS_CERT?: string
  OAUTH2_MTLS_PORT?: number
  OAUTH2_MTLS_PUBLIC_BASE_URL?: string
  OAUTH2_MTLS_CERT?: string
  OAUTH2_MTLS_KEY?: string
  OAUTH2_CLIENT_CERTIFICATE_HEADER?: string
  OAUTH2_CLIENT_CERTIFICATE_PROXIES?: string
}

const ownCertificate = 'none: OAUTH2_SERVER_TLS_CERT and OAUTH2_SERVER_TLS_KEY'

/** The variables by which the gateway learns the certificates of clients (RFC 8705). */
export const mutualTlsVariables = {
  OAUTH2_MTLS_PORT: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65535,
      rule: 'a port number',
      defaultText: 'none: there is no such port',
      description:
        'A second port, on which the gateway speaks HTTPS and asks callers for a certificate, for clients that authenticate by mutual TLS. It has only the endpoints for clients. Nothing may end TLS in front of it. See docs/operate/tls.md.',
      check: checkMutualTls,
    }),
  ),
  OAUTH2_MTLS_PUBLIC_BASE_URL: Type.Optional(
    Type.String({
      pattern: '^https://[^\\s/?#@\\\\]+$',
      rule: 'an https:// URL without path, query, fragment, user name and slash at the end',
      ...canonicalOrigin('OAUTH2_MTLS_PUBLIC_BASE_URL'),
      defaultText: 'with OAUTH2_MTLS_PORT, OAUTH2_SERVER_PUBLIC_BASE_URL with that port; else none',
      description:
        'The address at which clients with certificates reach the server, where it is another one than for everybody else: `mtls_endpoint_aliases` in the metadata.',
    }),
  ),
  OAUTH2_MTLS_CERT: Type.Optional(
    Type.String({
      minLength: 1,
      defaultText: ownCertificate,
      description:
        'A file with the certificate (PEM) that the gateway shows at OAUTH2_MTLS_PORT, followed by those between it and its authority. It is read again when it changes.',
    }),
  ),
  OAUTH2_MTLS_KEY: Type.Optional(
    Type.String({
      minLength: 1,
      defaultText: ownCertificate,
      description: 'A file with the private key (PEM) of that certificate, without a passphrase.',
    }),
  ),
  OAUTH2_CLIENT_CERTIFICATE_HEADER: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$',
      rule: 'the name of a header',
      defaultText: 'none: certificates in headers do not count',
      description:
        'The header in which the proxies in OAUTH2_CLIENT_CERTIFICATE_PROXIES pass on the certificate of a caller: `Client-Cert` (RFC 9440), `X-Forwarded-Client-Cert` (Envoy), or another one with the escaped PEM, such as of nginx’s `$ssl_client_escaped_cert`. They must remove the header from requests of callers.',
      check: checkProxies,
    }),
  ),
  OAUTH2_CLIENT_CERTIFICATE_PROXIES: Type.Optional(
    Type.String({
      pattern: '^[0-9A-Fa-f.:/]+(,[0-9A-Fa-f.:/]+)*$',
      rule: 'addresses and CIDRs of proxies, separated by commas',
      defaultText: 'none',
      description:
        'The proxies whose OAUTH2_CLIENT_CERTIFICATE_HEADER counts, by the address from which they connect to the gateway. A request with this header from elsewhere is answered with 400.',
    }),
  ),
}

function checkMutualTls(values: MutualTlsValues): void {
  const { OAUTH2_MTLS_PORT: port, OAUTH2_CLIENT_CERTIFICATE_HEADER: header } = values
  const { OAUTH2_MTLS_CERT: cert, OAUTH2_MTLS_KEY: key } = values
  const faults: string[] = []
  const [method] = (values.OAUTH2_CLIENT_AUTH_METHODS?.split(' ') ?? []).filter(isMutualTls)
  if (method !== undefined && port === undefined && header === undefined)
    faults.push(
      `OAUTH2_MTLS_PORT or OAUTH2_CLIENT_CERTIFICATE_HEADER must be set; OAUTH2_CLIENT_AUTH_METHODS has ${method}`,
    )
  if ((cert === undefined) !== (key === undefined))
    faults.push(`OAUTH2_MTLS_${cert ? 'KEY' : 'CERT'} must be set as well, because the other one is`)
  if (port !== undefined && cert === undefined && values.OAUTH2_SERVER_TLS_CERT === undefined)
    faults.push(
      'OAUTH2_MTLS_CERT and OAUTH2_MTLS_KEY must be set: OAUTH2_MTLS_PORT needs a certificate of the gateway',
    )
  if (port !== undefined && port === values.OAUTH2_SERVER_PORT)
    faults.push('OAUTH2_MTLS_PORT must be another port than OAUTH2_SERVER_PORT')
  if (faults.length > 0) throw new ConfigurationError(faults.join('\n'))
}

function checkProxies(values: MutualTlsValues): void {
  const { OAUTH2_CLIENT_CERTIFICATE_HEADER: header, OAUTH2_CLIENT_CERTIFICATE_PROXIES: proxies } = values
  if ((header === undefined) !== (proxies === undefined)) {
    const [missing, set] = header === undefined ? ['HEADER', 'PROXIES'] : ['PROXIES', 'HEADER']
    throw new ConfigurationError(
      `OAUTH2_CLIENT_CERTIFICATE_${missing} must be set as well, because OAUTH2_CLIENT_CERTIFICATE_${set} is`,
    )
  }
  // Never everybody: then any caller could claim any certificate.
  const wrong = proxies?.split(',').find((network) => (addressRange(network)?.bits ?? 0) < 1)
  if (wrong !== undefined)
    throw new ConfigurationError(
      `OAUTH2_CLIENT_CERTIFICATE_PROXIES must be addresses and CIDRs of proxies, separated by commas; ${JSON.stringify(wrong)} is neither`,
    )
}

/** The header in which certificates count, and the proxies that send it. */
export function certificateHeaderOf(
  values: MutualTlsValues,
): { name: string; proxies: string[] } | undefined {
  const { OAUTH2_CLIENT_CERTIFICATE_HEADER: name, OAUTH2_CLIENT_CERTIFICATE_PROXIES: proxies } = values
  return name === undefined || proxies === undefined ? undefined : { name, proxies: proxies.split(',') }
}

/** The address at which clients with certificates reach the server; undefined where it is the one of everybody. */
export function mutualTlsBase(values: MutualTlsValues): string | undefined {
  const { OAUTH2_MTLS_PORT: port, OAUTH2_MTLS_PUBLIC_BASE_URL: base } = values
  if (base !== undefined || port === undefined) return base
  const { hostname } = new URL(values.OAUTH2_SERVER_PUBLIC_BASE_URL)
  return new URL(`https://${hostname}:${port}`).origin
}
