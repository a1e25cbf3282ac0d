import { type Authorities, createAuthorities, readAuthorities } from '@gatehouse/kit/certificates/authorities'
import { ConfigurationError } from '@gatehouse/kit/config/config'
import { followFiles } from '@gatehouse/kit/files/follow-files'
import type { RepeatContext } from '@gatehouse/kit/time/repeat'
import { Type } from '@gatehouse/proto/typebox'
import { type ClientCertificates, createClientCertificates } from './client-certificates.ts'

/** The variable of the authorities of clients. */
export const clientCertificateVariables = {
  OAUTH2_CLIENT_CERTIFICATE_CA: Type.Optional(
    Type.String({
      minLength: 1,
      defaultText: 'none: no client can authenticate by `tls_client_auth`',
      description:
        'A file with the certificates (PEM) of the authorities whose certificates clients with `tls_client_auth` show; intermediate ones, too, where a proxy does not pass them on. Each is trusted for the names of all clients, so have only authorities of your own there. It is read again when it changes. See docs/operate/tls.md.',
      check(values: { OAUTH2_CLIENT_AUTH_METHODS?: string; OAUTH2_CLIENT_CERTIFICATE_CA?: string }) {
        const methods = values.OAUTH2_CLIENT_AUTH_METHODS?.split(' ') ?? []
        if (methods.includes('tls_client_auth') && values.OAUTH2_CLIENT_CERTIFICATE_CA === undefined)
          throw new ConfigurationError(
            'OAUTH2_CLIENT_CERTIFICATE_CA must be set; OAUTH2_CLIENT_AUTH_METHODS has tls_client_auth',
          )
      },
    }),
  ),
}

/**
 * Opens the reading of certificates of clients, and reads the file of authorities again when it changes. One that cannot be used then is
 * logged, and the previous authorities stay.
 * @param lookEveryMs how often the file is looked at, in milliseconds
 * @throws ConfigurationError where the file cannot be read or used
 */
export async function openClientCertificates(
  file: string | undefined,
  context: RepeatContext & { log: { info(facts: object, message: string): void } },
  { now = Date.now, lookEveryMs }: { now?: () => number; lookEveryMs?: number } = {},
): Promise<ClientCertificates> {
  let authorities: Authorities | undefined
  if (file !== undefined) {
    authorities = await followFiles(context, {
      what: 'reading the authorities of clients',
      files: { OAUTH2_CLIENT_CERTIFICATE_CA: file },
      make: (contents) =>
        createAuthorities(
          readAuthorities('OAUTH2_CLIENT_CERTIFICATE_CA', contents.OAUTH2_CLIENT_CERTIFICATE_CA),
        ),
      take(renewed) {
        authorities = renewed
        context.log.info({ file }, 'the authorities of clients were taken')
      },
      lookEveryMs,
    })
  }
  return createClientCertificates({ authorities: () => authorities, now })
}
