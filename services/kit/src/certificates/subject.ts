import type { SubjectKind } from '@gatehouse/proto/client-metadata'
import { type Certificate, canonicalAddress } from './certificate.ts'
import { asciiLower, canonicalNameOf } from './distinguished-name.ts'

/** A kind of names: whether a text is one, the rest of a sentence about what it must be, and whether a certificate has it. */
type Kind = {
  isName(text: string): boolean
  must: string
  isIn(certificate: Certificate, name: string): boolean
}

/** Hosts and addresses may be in any case (RFC 5280 sections 7.2 and 7.5); the first part of an e-mail address, and URIs, may not. */
const kinds: Readonly<Record<SubjectKind, Kind>> = {
  dn: {
    isName: (text) => canonicalNameOf(text) !== undefined,
    must: 'must be a distinguished name such as CN=app,O=Example, with the most specific part first (RFC 4514)',
    isIn: ({ subject }, name) => subject !== undefined && subject === canonicalNameOf(name),
  },
  dns: {
    isName: (text) =>
      /^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/.test(text),
    must: 'must be a DNS name such as app.example.com, without a wildcard',
    isIn: ({ names }, name) => names.dns.some((one) => asciiLower(one) === asciiLower(name)),
  },
  uri: {
    isName: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/.test(text),
    must: 'must be a URI such as spiffe://example.com/app',
    isIn: ({ names }, name) => names.uri.includes(name),
  },
  ip: {
    isName: (text) => canonicalAddress(text) !== undefined,
    must: 'must be an IP address such as 192.0.2.1 or 2001:db8::1',
    isIn: ({ names }, name) => names.ip.includes(canonicalAddress(name) ?? name),
  },
  email: {
    isName: (text) => /^[\x21-\x3f\x41-\x7e]+@[A-Za-z0-9.-]+$/.test(text),
    must: 'must be an e-mail address such as ops@example.com',
    isIn: ({ names }, name) => names.email.some((one) => withLowerHost(one) === withLowerHost(name)),
  },
}

/**
 * Says what is wrong with a name that certificates are to have, as the rest of a sentence that begins with the name of its field.
 * @returns undefined when it is a name of that kind
 */
export function subjectFault(kind: SubjectKind, text: string): string | undefined {
  return kinds[kind].isName(text) ? undefined : kinds[kind].must
}

/** Whether a certificate has a name (RFC 8705 section 2.1.2). */
export function hasSubject(certificate: Certificate, kind: SubjectKind, name: string): boolean {
  return kinds[kind].isIn(certificate, name)
}

function withLowerHost(address: string): string {
  const host = address.lastIndexOf('@')
  return address.slice(0, host) + asciiLower(address.slice(host))
}
