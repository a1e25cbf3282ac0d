import { createHash, type KeyObject, X509Certificate } from 'node:crypto'
import { SocketAddress } from 'node:net'
import { contextTag, type DerValue, derTag, objectIdentifierOf, partsIn, partsOf, readDer } from './der.ts'
import { type CanonicalName, canonicalNameIn } from './distinguished-name.ts'

/** The alternative names of a certificate's subject (RFC 5280 section 4.2.1.6), of the kinds that name clients. */
export type AlternativeNames = {
  dns: readonly string[]
  uri: readonly string[]
  email: readonly string[]
  /** As `canonicalAddress` writes them. */
  ip: readonly string[]
}

/** A certificate of somebody else (RFC 5280). */
export type Certificate = {
  x509: X509Certificate
  /** SHA-256 of its DER: what a token that is bound to it names (RFC 8705 section 3.1). */
  digest: Buffer
  /** undefined where the subject has no attributes. */
  subject: CanonicalName | undefined
  names: AlternativeNames
  /** Both in milliseconds since the Unix epoch; both moments are within. */
  validFrom: number
  validUntil: number
  /** Whether it may sign certificates (RFC 5280 sections 4.2.1.3 and 4.2.1.9). */
  isAuthority: boolean
  /** How many authorities there may be between it and the certificate of a client; undefined: any number. */
  pathLength: number | undefined
  /** Whether it may prove who a client is (sections 4.2.1.3 and 4.2.1.12). Where a certificate says nothing about that, it may. */
  forClients: boolean
  /** Why it must not be relied on, such as an extension that is critical and unknown here (section 4.2); the rest of a sentence. */
  fault: string | undefined
}

/** In bytes: room for large keys and many names. */
export const longestCertificate = 8_192

/** Those with SHA-256 and better (RFC 9155 forbids SHA-1 in signatures): RSA, RSASSA-PSS, which names its hash apart, ECDSA, and EdDSA. */
const strongSignatures = new Set([
  ...['1.2.840.113549.1.1.11', '1.2.840.113549.1.1.12', '1.2.840.113549.1.1.13', '1.2.840.113549.1.1.10'],
  ...['1.2.840.10045.4.3.2', '1.2.840.10045.4.3.3', '1.2.840.10045.4.3.4', '1.3.101.112', '1.3.101.113'],
])
const rsaPss = '1.2.840.113549.1.1.10'
const sha1 = Buffer.from('06052b0e03021a', 'hex')

const extensionIds = {
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
} as const

/** Extensions that restrict nothing here, critical or not: identifiers of keys, policies, and the address of lists. */
const harmless = new Set(['2.5.29.14', '2.5.29.35', '2.5.29.32', '2.5.29.31', '1.3.6.1.5.5.7.1.1'])
const nameConstraints = '2.5.29.30'
const clientAuth = '1.3.6.1.5.5.7.3.2'
const anyExtendedKeyUsage = '2.5.29.37.0'

/** The bits of keyUsage. */
const usage = { digitalSignature: 0, keyAgreement: 4, keyCertSign: 5 } as const

/** In bits. */
const leastRsaKey = 2_048
const mostRsaKey = 8_192

/**
 * Reads a certificate.
 * @param der its DER
 * @returns undefined for anything else
 */
export function readCertificate(der: Uint8Array): Certificate | undefined {
  const bytes = Buffer.from(der.buffer, der.byteOffset, der.byteLength)
  if (bytes.length > longestCertificate) return undefined
  try {
    return certificateOf(bytes)
  } catch {
    return undefined
  }
}

function certificateOf(bytes: Buffer): Certificate {
  const x509 = new X509Certificate(bytes)
  const [signed, algorithm] = partsIn(readDer(bytes), derTag.sequence)
  const parts = partsIn(signed, derTag.sequence)
  // The version is absent in certificates of version 1, which have no extensions.
  const [, , , , subject] = parts[0]?.tag === contextTag(0, true) ? parts.slice(1) : parts
  if (algorithm === undefined || subject === undefined) throw new Error('no certificate')
  const wrapped = parts.find(({ tag }) => tag === contextTag(3, true))
  const extensions = readExtensions(wrapped)
  const extension = (id: string) => extensions.get(id)?.value
  const usages = bitsOf(extension(extensionIds.keyUsage))
  const purposes = purposesOf(extension(extensionIds.extendedKeyUsage))
  const { ca, pathLength } = constraintsOf(extension(extensionIds.basicConstraints))
  const mayBe = (bit: number) => usages === undefined || usages.has(bit)
  return {
    x509,
    digest: createHash('sha256').update(bytes).digest(),
    subject: canonicalNameIn(subject),
    names: alternativeNamesOf(extension(extensionIds.alternativeNames)),
    validFrom: x509.validFromDate.getTime(),
    validUntil: x509.validToDate.getTime(),
    isAuthority: ca && mayBe(usage.keyCertSign),
    pathLength,
    forClients:
      (purposes === undefined || purposes.has(clientAuth) || purposes.has(anyExtendedKeyUsage)) &&
      (ca || mayBe(usage.digitalSignature) || mayBe(usage.keyAgreement)),
    fault: faultOfExtensions(extensions) ?? faultOfSignature(algorithm) ?? faultOfKey(x509.publicKey),
  }
}

type Extension = { critical: boolean; value: DerValue }

function readExtensions(wrapped: DerValue | undefined): Map<string, Extension> {
  const extensions = new Map<string, Extension>()
  const [list] = wrapped === undefined ? [] : partsOf(wrapped)
  for (const one of list === undefined ? [] : partsIn(list, derTag.sequence)) {
    const [id, ...rest] = partsIn(one, derTag.sequence)
    const value = rest.at(-1)
    if (id === undefined || value?.tag !== derTag.octetString) throw new Error('no extension')
    const name = objectIdentifierOf(id)
    // RFC 5280 section 4.2: at most one of each. Of two, readers disagree which one counts.
    if (extensions.has(name)) throw new Error('an extension twice')
    const critical = rest.length === 2 && rest[0]?.content[0] === 0xff
    extensions.set(name, { critical, value: { ...value, bytes: value.content } })
  }
  return extensions
}

function faultOfExtensions(extensions: ReadonlyMap<string, Extension>): string | undefined {
  const known: readonly string[] = Object.values(extensionIds)
  for (const [id, { critical }] of extensions) {
    // Also where they are not critical: to overlook them would be to trust their authority for names that it must not give.
    if (id === nameConstraints) return 'has name constraints, which this server cannot check'
    if (critical && !known.includes(id) && !harmless.has(id))
      return `has a critical extension that this server does not know, ${id}`
  }
  return undefined
}

function faultOfSignature(algorithm: DerValue): string | undefined {
  const [id, parameters] = partsIn(algorithm, derTag.sequence)
  const name = id && objectIdentifierOf(id)
  // RSASSA-PSS without the name of a hash has SHA-1 (RFC 4055 section 3.1).
  const weak = name === rsaPss && (parameters === undefined || !namesHash(parameters))
  return name !== undefined && strongSignatures.has(name) && !weak
    ? undefined
    : 'has a signature by an algorithm that is weak or unknown'
}

function namesHash(parameters: DerValue): boolean {
  return parameters.content[0] === contextTag(0, true) && !parameters.content.includes(sha1)
}

function faultOfKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  const { modulusLength = 0 } = asymmetricKeyDetails ?? {}
  if (!asymmetricKeyType?.startsWith('rsa')) return undefined
  return modulusLength >= leastRsaKey && modulusLength <= mostRsaKey
    ? undefined
    : `has an RSA key with fewer than ${leastRsaKey} or more than ${mostRsaKey} bits`
}

/** The bits that are set, by their numbers. */
function bitsOf(value: DerValue | undefined): Set<number> | undefined {
  if (value === undefined) return undefined
  const { tag, content } = readDer(value.content)
  if (tag !== derTag.bitString) throw new Error('no bits')
  const set = new Set<number>()
  for (const [index, byte] of content.subarray(1).entries())
    for (let bit = 0; bit < 8; bit += 1) if (byte & (0x80 >> bit)) set.add(index * 8 + bit)
  return set
}

function purposesOf(value: DerValue | undefined): Set<string> | undefined {
  return value && new Set(partsIn(readDer(value.content), derTag.sequence).map(objectIdentifierOf))
}

function constraintsOf(value: DerValue | undefined): { ca: boolean; pathLength: number | undefined } {
  const parts = value === undefined ? [] : partsIn(readDer(value.content), derTag.sequence)
  const length = parts.find(({ tag }) => tag === derTag.integer)?.content
  return {
    ca: parts[0]?.tag === derTag.boolean && parts[0].content[0] === 0xff,
    // A length of several bytes is more than any chain has.
    pathLength: length === undefined ? undefined : length.length === 1 ? length[0] : 127,
  }
}

function alternativeNamesOf(value: DerValue | undefined): AlternativeNames {
  const all = value === undefined ? [] : partsIn(readDer(value.content), derTag.sequence)
  const named = (number: number) =>
    all.filter(({ tag }) => tag === contextTag(number, false)).map(({ content }) => content)
  const texts = (number: number) => named(number).map((content) => content.toString('latin1'))
  return { email: texts(1), dns: texts(2), uri: texts(6), ip: named(7).map((bytes) => addressOf(bytes)) }
}

function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) throw new Error('no address')
  const groups = bytes.toString('hex').match(/.{4}/g) ?? []
  return canonicalAddress(groups.join(':')) ?? ''
}

/** An IP address in the one form in which equal ones are equal texts; undefined for another text. */
export function canonicalAddress(text: string): string | undefined {
  if (text.includes('%')) return undefined
  const family = text.includes(':') ? 'ipv6' : 'ipv4'
  try {
    return new SocketAddress({ address: text, family }).address
  } catch {
    return undefined
  }
}
