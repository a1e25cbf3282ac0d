import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js'
import {
  type CertificateFiles,
  ConfigurationError,
  certificateVariables,
  requireAllCertificateFiles,
} from '../config/config.ts'
import { Gauge, metricPrefix, type Registry } from '../telemetry/metrics.ts'
import { type RepeatContext, repeat } from '../time/repeat.ts'

type Provider = Parameters<typeof experimental.createCertificateProviderServerCredentials>[0]
type AuthorityListener = Parameters<Provider['addCaCertificateListener']>[0]
type IdentityListener = Parameters<Provider['addIdentityCertificateListener']>[0]

type Names = keyof typeof certificateVariables
type Files = Record<Names, string>
const names = Object.keys(certificateVariables) as Names[]

/** A process's own certificate and the authorities it trusts. */
export type Certificates = {
  /** For a server that accepts calls only from peers with a certificate of the same authority. */
  server: ServerCredentials
  /** For calls to such a server. */
  channel: ChannelCredentials
}

type Contents = Record<Names, Buffer> & { expiresAt: Date }

/**
 * Opens the certificates of a process, if it has any, and keeps reading their files while the process runs. A renewal
 * that cannot be used is logged, and the previous certificates stay in use.
 * @param config the process's variables
 * @param context the process
 * @param readEveryMs how often the files are read, in milliseconds; a renewal applies to connections made after it
 * @returns undefined if no certificate is set
 * @throws ConfigurationError if only some of the three are set, or one cannot be read or used
 */
export async function openCertificates(
  config: CertificateFiles,
  context: RepeatContext & { registry: Registry },
  readEveryMs = 10_000,
): Promise<Certificates | undefined> {
  if (names.every((name) => config[name] === undefined)) return undefined
  requireAllCertificateFiles(config)
  const files = config as Files
  let contents = await readContents(files)

  const expiry = new Gauge({
    name: `${metricPrefix}grpc_certificate_expiry_timestamp_seconds`,
    help: 'When the certificate for calls between processes expires, in seconds since the Unix epoch.',
    registers: [context.registry],
  })
  expiry.set(contents.expiresAt.getTime() / 1000)
  const { provider, changed } = providerOf(() => contents)
  repeat(context, 'reading the certificates', readEveryMs, async () => {
    const found = await readContents(files)
    if (names.every((name) => found[name].equals(contents[name]))) return
    contents = found
    expiry.set(contents.expiresAt.getTime() / 1000)
    changed()
    context.log.info({ expiresAt: contents.expiresAt }, 'the certificates were renewed')
  })
  return {
    server: experimental.createCertificateProviderServerCredentials(provider, provider, true),
    channel: experimental.createCertificateProviderChannelCredentials(provider, provider),
  }
}

/** grpc-js's own provider can give a server half of a renewal, which ends the process. */
function providerOf(current: () => Contents): { provider: Provider; changed(): void } {
  const authorityListeners = new Set<AuthorityListener>()
  const identityListeners = new Set<IdentityListener>()
  const tellAuthority = (listener: AuthorityListener) =>
    listener({ caCertificate: current().OAUTH2_GRPC_TLS_CA })
  const tellIdentity = (listener: IdentityListener) =>
    listener({
      certificate: current().OAUTH2_GRPC_TLS_CERT,
      privateKey: current().OAUTH2_GRPC_TLS_KEY,
    })
  return {
    provider: {
      addCaCertificateListener(listener) {
        authorityListeners.add(listener)
        process.nextTick(tellAuthority, listener)
      },
      removeCaCertificateListener: (listener) => void authorityListeners.delete(listener),
      addIdentityCertificateListener(listener) {
        identityListeners.add(listener)
        process.nextTick(tellIdentity, listener)
      },
      removeIdentityCertificateListener: (listener) => void identityListeners.delete(listener),
    },
    changed() {
      for (const listener of authorityListeners) tellAuthority(listener)
      for (const listener of identityListeners) tellIdentity(listener)
    },
  }
}

async function readContents(files: Files): Promise<Contents> {
  const unreadable: string[] = []
  const read = (name: Names) =>
    readFile(files[name]).catch((error: NodeJS.ErrnoException) => {
      unreadable.push(`${name} cannot be read: ${error.message}`)
      return Buffer.of()
    })
  const [OAUTH2_GRPC_TLS_CA, OAUTH2_GRPC_TLS_CERT, OAUTH2_GRPC_TLS_KEY] = await Promise.all([
    read('OAUTH2_GRPC_TLS_CA'),
    read('OAUTH2_GRPC_TLS_CERT'),
    read('OAUTH2_GRPC_TLS_KEY'),
  ])
  if (unreadable.length > 0) throw new ConfigurationError(unreadable.sort().join('\n'))
  parse('OAUTH2_GRPC_TLS_CA', OAUTH2_GRPC_TLS_CA)
  const expiresAt = new Date(parse('OAUTH2_GRPC_TLS_CERT', OAUTH2_GRPC_TLS_CERT).validTo)
  if (expiresAt.getTime() <= Date.now())
    throw new ConfigurationError(
      `OAUTH2_GRPC_TLS_CERT expired at ${expiresAt.toISOString()}: renew it and its key`,
    )
  try {
    createSecureContext({ ca: OAUTH2_GRPC_TLS_CA, cert: OAUTH2_GRPC_TLS_CERT, key: OAUTH2_GRPC_TLS_KEY })
  } catch (error) {
    throw new ConfigurationError(
      `OAUTH2_GRPC_TLS_KEY must be the private key (PEM) of the certificate in OAUTH2_GRPC_TLS_CERT: ${(error as Error).message}`,
    )
  }
  return { OAUTH2_GRPC_TLS_CA, OAUTH2_GRPC_TLS_CERT, OAUTH2_GRPC_TLS_KEY, expiresAt }
}

function parse(name: Names, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    throw new ConfigurationError(`${name} must be a file with a certificate (PEM); it holds none`)
  }
}
