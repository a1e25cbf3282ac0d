import type { ClientField } from './client-field.ts'
import type { SubjectKind } from './field-rule.ts'

/** A name that the certificate of a client with `tls_client_auth` must have (RFC 8705 section 2.1.2). */
function subjectField<const Kind extends SubjectKind>(subject: Kind, label: string, description: string) {
  return {
    kind: 'text',
    maxLength: 1_000,
    subject,
    label,
    description: `${description} For \`tls_client_auth\`, which needs exactly one of the five names.`,
    setBy: 'registration',
    certificate: true,
  } as const
}

/** The fields that say which certificate is that of a client. They are a part of `clientFields`. */
export const certificateFields = {
  tls_client_auth_subject_dn: {
    ...subjectField(
      'dn',
      'Subject of the certificate',
      'The distinguished name of the subject of the client’s certificate, such as `CN=app,O=Example` (RFC 4514), as `openssl x509 -subject -nameopt RFC2253` prints it.',
    ),
    keycloak: 'x509.subjectdn',
  },
  tls_client_auth_san_dns: subjectField(
    'dns',
    'DNS name in the certificate',
    'A DNS name that the client’s certificate has as an alternative name of its subject, such as `app.example.com`.',
  ),
  tls_client_auth_san_uri: subjectField(
    'uri',
    'URI in the certificate',
    'A URI that the client’s certificate has as an alternative name of its subject, such as `spiffe://example.com/app`.',
  ),
  tls_client_auth_san_ip: subjectField(
    'ip',
    'IP address in the certificate',
    'An IP address that the client’s certificate has as an alternative name of its subject, such as `192.0.2.1` or `2001:db8::1`.',
  ),
  tls_client_auth_san_email: subjectField(
    'email',
    'E-mail address in the certificate',
    'An e-mail address that the client’s certificate has as an alternative name of its subject, such as `ops@example.com`.',
  ),
} as const satisfies Record<string, ClientField>

/** The name of one of these fields. */
export type CertificateField = keyof typeof certificateFields

/** Each of these fields with the kind of its name. */
export const certificateFieldEntries = Object.entries(certificateFields).map(
  ([name, { subject }]) => [name as CertificateField, subject] as const,
)
