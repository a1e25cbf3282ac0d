import { createHash } from 'node:crypto'
import { type Authorities, longestChain, type Validity } from '@gatehouse/kit/certificates/authorities'
import { type Certificate, readCertificate } from '@gatehouse/kit/certificates/certificate'

/** A certificate as the sender of a request presents it: DER, with those that they sent with it. */
export type PresentedCertificate = {
  certificate: Uint8Array
  chain: readonly Uint8Array[]
}

/** A certificate of a request, as far as it counts now. */
export type ReadCertificate = {
  certificate: Certificate
  /** Whether it is valid now by itself. */
  isCurrent: boolean
  /** Whether there is a chain from an authority to it (OAUTH2_CLIENT_CERTIFICATE_CA), each link of which is valid now. */
  isTrusted: boolean
}

/** Reads certificates of requests. */
export type ClientCertificates = {
  /** @returns undefined for bytes that are no certificate */
  read(presented: PresentedCertificate): ReadCertificate | undefined
}

/** The needs of reading certificates. */
export type ClientCertificatesDeps = {
  /** The authorities whose certificates count; undefined where there are none. Another object after each change. */
  authorities(): Authorities | undefined
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** How many certificates are kept. A client presents the same one with each request. */
const mostKept = 1_000
/** How long it counts that there is no chain, in milliseconds: until then an authority may have become valid. */
const untrustedFor = 60_000

type Kept = {
  certificate: Certificate | undefined
  chained: Validity | undefined
  /** When a missing chain is looked for again. */
  lookAgainAt: number
}

/**
 * Creates the reading of certificates, which remembers the last ones: to verify a chain takes as long as some hundred requests otherwise
 * take for a digest.
 */
export function createClientCertificates({ authorities, now }: ClientCertificatesDeps): ClientCertificates {
  const kept = new Map<string, Kept>()
  let of: Authorities | undefined

  function keep(key: string, presented: PresentedCertificate): Kept {
    const certificate = readCertificate(presented.certificate)
    const chain = presented.chain.slice(0, longestChain).flatMap((one) => readCertificate(one) ?? [])
    const chained = certificate && of?.chainTo(certificate, chain, now())
    const made = { certificate, chained, lookAgainAt: now() + untrustedFor }
    kept.set(key, made)
    const [oldest] = kept.size > mostKept ? kept.keys() : []
    if (oldest !== undefined) kept.delete(oldest)
    return made
  }

  return {
    read(presented) {
      if (of !== authorities()) {
        of = authorities()
        kept.clear()
      }
      const time = now()
      const key = keyOf(presented)
      let found = kept.get(key)
      // The last ones are those that were used last.
      kept.delete(key)
      if (found !== undefined && !isOutdated(found, time)) kept.set(key, found)
      else found = keep(key, presented)
      const { certificate, chained } = found
      if (certificate === undefined) return undefined
      const isCurrent = certificate.validFrom <= time && time <= certificate.validUntil
      return { certificate, isCurrent, isTrusted: chained !== undefined }
    },
  }
}

function isOutdated({ chained, lookAgainAt }: Kept, time: number): boolean {
  return chained === undefined ? time >= lookAgainAt : time < chained.from || time > chained.until
}

/** A digest of all certificates, each after its length. */
function keyOf({ certificate, chain }: PresentedCertificate): string {
  const digest = createHash('sha256')
  for (const one of [certificate, ...chain]) digest.update(`${one.length} `).update(one)
  return digest.digest('base64')
}
