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

/**
 * For servers that ask for a certificate: a connection that resumes a session would not have the certificates between that of its caller
 * and the authority, so there are no sessions. With no authorities of its own, a server does not tell callers which of their certificates
 * to send, and OpenSSL does not compare them with those of the system.
 */
const askingProtocol: SecureContextOptions = {
  ...protocol,
  ca: [],
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
}

/** A certificate of the public HTTP servers. */
export type ServerCertificate = {
  /** Makes a server show it, and each renewed one, to new connections. */
  showBy(server: Server): void
}

/** The certificates of the public HTTP servers. */
export type ServerCertificates = {
  /** undefined where the gateway speaks plain HTTP. */
  certificate: ServerCertificate | undefined
  /** For servers that ask callers for a certificate, too; undefined where there are none. */
  askingCertificate: ServerCertificate | undefined
}

type Context = RepeatContext & { registry: Registry }

/**
 * Opens the gateway's certificates, and reads their files again when they change. A pair that cannot be used then is logged, and the
 * previous one stays in use.
 * @param lookEveryMs how often the files are looked at, in milliseconds
 * @throws ConfigurationError where a pair cannot be read or used, or has expired
 */
export async function openServerCertificates(
  values: Values & { OAUTH2_MTLS_PORT?: number; OAUTH2_MTLS_CERT?: string; OAUTH2_MTLS_KEY?: string },
  context: Context,
  lookEveryMs?: number,
): Promise<ServerCertificates> {
  const { OAUTH2_SERVER_TLS_CERT, OAUTH2_SERVER_TLS_KEY, OAUTH2_MTLS_CERT, OAUTH2_MTLS_KEY } = values
  const own = filesOf({ OAUTH2_SERVER_TLS_CERT, OAUTH2_SERVER_TLS_KEY })
  const asking = filesOf({ OAUTH2_MTLS_CERT, OAUTH2_MTLS_KEY }) ?? own
  const expiry = expiryIn(context.registry, own ?? asking)
  const open = (pair: PairFiles, protocolOfServers: SecureContextOptions) =>
    openCertificate(pair, { context, expiry, protocolOfServers, lookEveryMs })
  return {
    certificate: own && (await open(own, protocol)),
    askingCertificate:
      asking && values.OAUTH2_MTLS_PORT !== undefined ? await open(asking, askingProtocol) : undefined,
  }
}

/** The files of a certificate and its key, by the variables that name them. */
type PairFiles = { files: Record<string, string>; cert: string; key: string }

function filesOf(values: Readonly<Record<string, string | undefined>>): PairFiles | undefined {
  const [[cert, certFile] = ['', undefined], [key, keyFile] = ['', undefined]] = Object.entries(values)
  if (certFile === undefined || keyFile === undefined) return undefined
  return { files: { [cert]: certFile, [key]: keyFile }, cert, key }
}

/** @returns a function that notes when the certificate of a file expires, of which the metric has the first */
function expiryIn(registry: Registry, any: PairFiles | undefined): (file: string, at: Date) => void {
  if (any === undefined) return () => undefined
  const times = new Map<string, number>()
  const gauge = new Gauge({
    name: `${metricPrefix}tls_certificate_expiry_timestamp_seconds`,
    help: 'When the first of the certificates that the gateway shows to callers expires, in seconds since the Unix epoch.',
    registers: [registry],
  })
  return (file, at) => {
    times.set(file, at.getTime() / 1000)
    gauge.set(Math.min(...times.values()))
  }
}

async function openCertificate(
  { files, cert, key }: PairFiles,
  {
    context,
    expiry,
    protocolOfServers,
    lookEveryMs,
  }: {
    context: Context
    expiry: (file: string, at: Date) => void
    protocolOfServers: SecureContextOptions
    lookEveryMs: number | undefined
  },
): Promise<ServerCertificate> {
  const servers = new Set<Server>()
  let pair = await followFiles(context, {
    what: `reading the certificate in ${cert}`,
    files,
    make: (contents) => readKeyPair(contents, cert, key),
    take(renewed) {
      pair = renewed
      taken()
    },
    lookEveryMs,
  })

  function show(server: Server): void {
    server.setSecureContext({ ...protocolOfServers, cert: pair.cert, key: pair.key })
  }

  function taken(): void {
    for (const server of servers) show(server)
    expiry(cert, pair.expiresAt)
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
