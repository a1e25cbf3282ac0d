import { constants } from 'node:crypto'
import type { SecureContextOptions, Server } from 'node:tls'
import { ConfigurationError, type VariableOptions } from '@gatehouse/kit/config/config'
import { followFiles } from '@gatehouse/kit/files/follow-files'
import { readKeyPair } from '@gatehouse/kit/files/key-pair'
import { Gauge, metricPrefix, type Registry } from '@gatehouse/kit/telemetry/metrics'
import type { RepeatContext } from '@gatehouse/kit/time/repeat'
import { Type } from '@gatehouse/proto/typebox'

function file(description: string, options: Partial<VariableOptions> = {}) {
  const defaultText = 'none: the gateway speaks plain HTTP, for a proxy in front of it'
  return Type.Optional(Type.String({ minLength: 1, defaultText, description, ...options }))
}

/** The variables of the gateway's certificate. */
export const serverCertificateVariables = {
  OAUTH2_SERVER_TLS_CERT: file(
    'A file with the gateway’s certificate (PEM), followed by those between it and its authority. With it the gateway speaks HTTPS. It is read again when it changes: see docs/operate/tls.md.',
    { check: requireBoth, warning: warnOfPlainIssuer },
  ),
  OAUTH2_SERVER_TLS_KEY: file('A file with the private key (PEM) of that certificate, without a passphrase.'),
}

type Values = { OAUTH2_SERVER_TLS_CERT?: string; OAUTH2_SERVER_TLS_KEY?: string }

function requireBoth({ OAUTH2_SERVER_TLS_CERT: cert, OAUTH2_SERVER_TLS_KEY: key }: Values): void {
  if ((cert === undefined) === (key === undefined)) return
  const [set, missing] = cert === undefined ? ['KEY', 'CERT'] : ['CERT', 'KEY']
  throw new ConfigurationError(
    `OAUTH2_SERVER_TLS_${missing} must be set as well, because OAUTH2_SERVER_TLS_${set} is`,
  )
}

function warnOfPlainIssuer(values: Values & { OAUTH2_SERVER_PUBLIC_BASE_URL: string }): string | undefined {
  const { OAUTH2_SERVER_TLS_CERT: cert, OAUTH2_SERVER_PUBLIC_BASE_URL: issuer } = values
  if (cert === undefined || issuer.startsWith('https:')) return undefined
  return `OAUTH2_SERVER_PUBLIC_BASE_URL is ${issuer}, but with OAUTH2_SERVER_TLS_CERT the gateway answers only https; its cookies and links are for http`
}

/**
 * TLS 1.2 and 1.3 with forward secrecy and authenticated encryption alone (RFC 9325 section 4.2), which every browser of the last ten
 * years has. A client cannot make an established connection negotiate anew.
 */
const protocol: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
    ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
    ...['ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ].join(':'),
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
}

/** The certificate of the public HTTP servers. */
export type ServerCertificate = {
  /** Makes a server show it, and each renewed one, to new connections. */
  showBy(server: Server): void
}

/**
 * Opens the gateway's certificate, and reads its files again when they change. A pair that cannot be used then is logged, and the
 * previous one stays in use.
 * @param lookEveryMs how often the files are looked at, in milliseconds
 * @returns undefined where the gateway speaks plain HTTP
 * @throws ConfigurationError where the pair cannot be read or used, or has expired
 */
export async function openServerCertificate(
  { OAUTH2_SERVER_TLS_CERT, OAUTH2_SERVER_TLS_KEY }: Values,
  context: RepeatContext & { registry: Registry },
  lookEveryMs?: number,
): Promise<ServerCertificate | undefined> {
  if (OAUTH2_SERVER_TLS_CERT === undefined || OAUTH2_SERVER_TLS_KEY === undefined) return undefined
  const servers = new Set<Server>()
  const expiry = new Gauge({
    name: `${metricPrefix}tls_certificate_expiry_timestamp_seconds`,
    help: 'When the certificate that the gateway shows to callers expires, in seconds since the Unix epoch.',
    registers: [context.registry],
  })
  let pair = await followFiles(context, {
    what: 'reading the certificate of the gateway',
    files: { OAUTH2_SERVER_TLS_CERT, OAUTH2_SERVER_TLS_KEY },
    make: (contents) => readKeyPair(contents, 'OAUTH2_SERVER_TLS_CERT', 'OAUTH2_SERVER_TLS_KEY'),
    take(renewed) {
      pair = renewed
      taken()
    },
    lookEveryMs,
  })

  function show(server: Server): void {
    server.setSecureContext({ ...protocol, cert: pair.cert, key: pair.key })
  }

  function taken(): void {
    for (const server of servers) show(server)
    expiry.set(pair.expiresAt.getTime() / 1000)
    context.log.info(pair.shown, 'the certificate of the gateway was taken')
  }

  taken()
  return {
    showBy(server) {
      servers.add(server)
      server.once('close', () => servers.delete(server))
      show(server)
    },
  }
}
