import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../programs/programs.ts'

/** The files of mutual TLS, as a process reads them. */
export type CertificateFiles = {
  OAUTH2_GRPC_TLS_CA: string
  OAUTH2_GRPC_TLS_CERT: string
  OAUTH2_GRPC_TLS_KEY: string
}

/** A certificate authority. */
export type CertificateAuthority = {
  /**
   * Creates a key and a certificate for it.
   * @param names its subject alternative names, such as `DNS:token` and `IP:127.0.0.1`
   * @param days how long it is valid; negative: it has expired
   */
  issue(names: string[], days?: number): Promise<CertificateFiles>
  /** Deletes all files. */
  remove(): Promise<void>
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/**
 * Creates a certificate authority.
 * @param openssl the path of the program openssl
 */
export async function createCertificateAuthority(openssl: string): Promise<CertificateAuthority> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-certificates-'))
  const file = (name: string) => join(directory, name)
  const call = async (...argv: string[]) => {
    const { ok, stderr } = await run(openssl, argv)
    if (!ok) throw new Error(`openssl failed: ${stderr}`)
  }
  const [ca, caKey] = [file('ca.crt'), file('ca.key')]
  await call('req', '-x509', ...newKey, '-keyout', caKey, '-out', ca, '-subj', '/CN=authority', '-days', '2')
  let issued = 0
  return {
    async issue(names, days = 2) {
      issued += 1
      const [request, cert, key] = [file(`${issued}.csr`), file(`${issued}.crt`), file(`${issued}.key`)]
      const extensions = [
        ...['-addext', `subjectAltName=${names.join(',')}`],
        ...['-addext', 'extendedKeyUsage=serverAuth,clientAuth'],
      ]
      await call('req', ...newKey, '-keyout', key, '-out', request, '-subj', '/CN=process', ...extensions)
      const by = ['-CA', ca, '-CAkey', caKey, '-days', String(days)]
      await call('x509', '-req', '-in', request, ...by, '-copy_extensions', 'copy', '-out', cert)
      return { OAUTH2_GRPC_TLS_CA: ca, OAUTH2_GRPC_TLS_CERT: cert, OAUTH2_GRPC_TLS_KEY: key }
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
