import { hasSubject } from '@gatehouse/kit/certificates/subject'
import { certificateFieldEntries } from '@gatehouse/proto/client-metadata'
import type { AuthenticationMethod } from './method.ts'

/** A client that proved in TLS that it has the key of a certificate of an authority, which names the client (RFC 8705 section 2.1). */
export const tlsClientAuth: AuthenticationMethod = {
  judge({ client, certificate: read, reading, presented }) {
    if (presented.certificate === undefined) return 'no_certificate'
    // Registered for mutual TLS, a client proves itself by nothing else, so a secret is that of somebody else.
    if (read === undefined || reading.clientSecret !== '') return 'wrong_certificate'
    const { certificate, isCurrent, isTrusted } = read
    const expected = certificateFieldEntries.flatMap(([name, kind]) => {
      const value = client?.metadata[name]
      return value === undefined ? [] : [{ kind, value }]
    })
    const [first] = expected
    // Of a client with several names, which no registration makes, none counts.
    if (first === undefined || expected.length > 1) return 'wrong_certificate'
    if (!isCurrent) return 'expired_certificate'
    if (!isTrusted) return 'untrusted_certificate'
    return hasSubject(certificate, first.kind, first.value)
      ? { keyThumbprint: certificate.digest }
      : 'wrong_certificate'
  },
}
