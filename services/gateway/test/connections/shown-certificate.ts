import { createRegistry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { createCertificateAuthority } from '@gatehouse/test/servers/certificates'
import { openServerCertificates } from '../../src/connections/certificate.ts'

/** Opens a certificate for servers of tests. @param openssl the path of the program openssl */
export async function openShown(openssl: string) {
  const authority = await createCertificateAuthority(openssl)
  const { OAUTH2_GRPC_TLS_CERT, OAUTH2_GRPC_TLS_KEY } = await authority.issue(['DNS:localhost'])
  const ends: (() => unknown)[] = [authority.remove]
  const { certificate } = await openServerCertificates(
    { OAUTH2_SERVER_TLS_CERT: OAUTH2_GRPC_TLS_CERT, OAUTH2_SERVER_TLS_KEY: OAUTH2_GRPC_TLS_KEY },
    { log: recordedLog().log, registry: createRegistry('1.2.3'), onShutdown: (end) => void ends.push(end) },
  )
  return {
    certificate,
    async close() {
      for (const end of ends.toReversed()) await end()
    },
  }
}
