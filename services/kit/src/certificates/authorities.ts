import { ConfigurationError } from '../config/configuration-error.ts'
import { type Certificate, readCertificate } from './certificate.ts'

/** How many certificates a caller may send between theirs and an authority. */
export const longestChain = 4

/** How long a chain is valid, both in milliseconds since the Unix epoch. Both moments are within. */
export type Validity = { from: number; until: number }

/** Certificate authorities that are trusted. */
export type Authorities = {
  /**
   * Looks for a chain from one of the authorities to a certificate of a client (RFC 5280 section 6.1), each link of which is valid now.
   * @param chain the certificates that the client sent with it, in any order
   * @param now milliseconds since the Unix epoch
   * @returns undefined where there is none
   */
  chainTo(certificate: Certificate, chain: readonly Certificate[], now: number): Validity | undefined
}

/** A certificate that is trusted to sign others, and how many authorities there may be below it. */
type Trusted = Validity & { certificate: Certificate; below: number }

/**
 * Creates authorities out of their certificates. Each is trusted by itself, an intermediate one without its root, too.
 */
export function createAuthorities(certificates: readonly Certificate[]): Authorities {
  const anchors = certificates.map((certificate) => ({
    certificate,
    ...{ from: certificate.validFrom, until: certificate.validUntil },
    below: certificate.pathLength ?? Number.POSITIVE_INFINITY,
  }))
  return {
    chainTo(certificate, chain, now) {
      const counts = ({ from, until }: Validity) => from <= now && now <= until
      const trusted: Trusted[] = anchors.filter(counts)
      const waiting = new Set(chain.slice(0, longestChain))
      // From the authorities downwards, so that no signature is verified by the key of a stranger, which may make that slow.
      for (let found = true; found; ) {
        found = false
        for (const candidate of waiting) {
          const { isAuthority, forClients, fault } = candidate
          if (!isAuthority || !forClients || fault !== undefined) continue
          const issuer = trusted.find((one) => one.below > 0 && issued(one.certificate, candidate))
          if (issuer === undefined) continue
          waiting.delete(candidate)
          const link = { ...linkOf(issuer, candidate), certificate: candidate }
          if (!counts(link)) continue
          const below = Math.min(issuer.below - 1, candidate.pathLength ?? Number.POSITIVE_INFINITY)
          trusted.push({ ...link, below })
          found = true
        }
      }
      if (!certificate.forClients || certificate.isAuthority || certificate.fault !== undefined)
        return undefined
      const issuer = trusted.find((one) => issued(one.certificate, certificate))
      const link = issuer && linkOf(issuer, certificate)
      return link && counts(link) ? link : undefined
    },
  }
}

function linkOf(issuer: Validity, { validFrom, validUntil }: Certificate): Validity {
  return { from: Math.max(issuer.from, validFrom), until: Math.min(issuer.until, validUntil) }
}

function issued({ x509: issuer }: Certificate, { x509: certificate }: Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/**
 * Reads the certificates of authorities from a file.
 * @param name the variable that names the file
 * @throws ConfigurationError where one of them cannot be used
 */
export function readAuthorities(name: string, pem: Buffer): Certificate[] {
  const blocks = certificatesIn(pem.toString('latin1'))
  if (blocks.length === 0)
    throw new ConfigurationError(
      `${name} must be a file with certificates of authorities (PEM); it holds none`,
    )
  return blocks.map((der, index) => {
    const certificate = readCertificate(der)
    const fault =
      certificate === undefined
        ? 'cannot be read'
        : certificate.isAuthority
          ? (certificate.fault ?? (certificate.forClients ? undefined : 'is not for certificates of clients'))
          : 'is not that of an authority: it has no basic constraints with CA:TRUE, or a key usage without keyCertSign'
    if (certificate === undefined || fault !== undefined)
      throw new ConfigurationError(`${name}: certificate ${index + 1} ${fault ?? 'cannot be read'}`)
    return certificate
  })
}

/** The certificates in a text (RFC 7468 section 5), each as DER. Texts between them do not count. */
export function certificatesIn(pem: string): Buffer[] {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g)
  return Array.from(blocks, ([, base64 = '']) => Buffer.from(base64, 'base64'))
}
