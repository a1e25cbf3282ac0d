import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js'
import { type CertificateFiles, certificateFilesIn } from '../config/config.ts'
import { followFiles } from '../files/follow-files.ts'
import { type KeyPair, readCertificate, readKeyPair } from '../files/key-pair.ts'
import { Gauge, metricPrefix, type Registry } from '../telemetry/metrics.ts'
import type { RepeatContext } from '../time/repeat.ts'

type Provider = Parameters<typeof experimental.createCertificateProviderServerCredentials>[0]
type AuthorityListener = Parameters<Provider['addCaCertificateListener']>[0]
type IdentityListener = Parameters<Provider['addIdentityCertificateListener']>[0]

/** A process's own certificate and the authorities it trusts. */
export type Certificates = {
  /** For a server that accepts calls only from peers with a certificate of the same authority. */
  server: ServerCredentials
  /** For calls to such a server. */
  channel: ChannelCredentials
}

type Contents = KeyPair & { ca: Buffer }

/**
 * Opens the certificates of a process, if it has any, and reads their files again when they change. A renewal that cannot be used is
 * logged, and the previous certificates stay in use.
 * @param config the process's variables
 * @param context the process
 * @param lookEveryMs how often the files are looked at, in milliseconds; a renewal applies to connections made after it
 * @returns undefined if no certificate is set
 * @throws ConfigurationError if only some of the three are set, or one cannot be read or used
 */
export async function openCertificates(
  config: CertificateFiles,
  context: RepeatContext & { registry: Registry },
  lookEveryMs?: number,
): Promise<Certificates | undefined> {
  const files = certificateFilesIn(config)
  if (files === undefined) return undefined
  const expiry = new Gauge({
    name: `${metricPrefix}grpc_certificate_expiry_timestamp_seconds`,
    help: 'When the certificate for calls between processes expires, in seconds since the Unix epoch.',
    registers: [context.registry],
  })
  let contents = await followFiles(context, {
    what: 'reading the certificates',
    files,
    make: contentsOf,
    take(renewed) {
      contents = renewed
      expiry.set(contents.expiresAt.getTime() / 1000)
      changed()
      context.log.info(contents.shown, 'the certificates were renewed')
    },
    lookEveryMs,
  })
  expiry.set(contents.expiresAt.getTime() / 1000)
  const { provider, changed } = providerOf(() => contents)
  return {
    server: experimental.createCertificateProviderServerCredentials(provider, provider, true),
    channel: experimental.createCertificateProviderChannelCredentials(provider, provider),
  }
}

/** grpc-js's own provider can give a server half of a renewal, which ends the process. */
function providerOf(current: () => Contents): { provider: Provider; changed(): void } {
  const authorityListeners = new Set<AuthorityListener>()
  const identityListeners = new Set<IdentityListener>()
  const tellAuthority = (listener: AuthorityListener) => listener({ caCertificate: current().ca })
  const tellIdentity = (listener: IdentityListener) =>
    listener({ certificate: current().cert, privateKey: current().key })
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

function contentsOf(files: Readonly<Record<keyof CertificateFiles, Buffer>>): Contents {
  readCertificate('OAUTH2_GRPC_TLS_CA', files.OAUTH2_GRPC_TLS_CA)
  const pair = readKeyPair(files, 'OAUTH2_GRPC_TLS_CERT', 'OAUTH2_GRPC_TLS_KEY')
  return { ca: files.OAUTH2_GRPC_TLS_CA, ...pair }
}
