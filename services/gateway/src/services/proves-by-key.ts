import type { Presented } from '@gatehouse/proto/token/v1'

/** Whether a request has an assertion, or a certificate (RFC 8705), in place of a secret: its client proves itself by a key, if at all. */
export function provesByKey({ assertion, certificate, credentials: [first] }: Presented): boolean {
  return assertion !== undefined || (certificate !== undefined && first?.clientSecret === '')
}
