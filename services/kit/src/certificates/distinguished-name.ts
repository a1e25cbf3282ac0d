import { type DerValue, derTag, objectIdentifierOf, partsIn, readDer } from './der.ts'

/** The keywords of attribute types, in lower case: those of RFC 4514 section 3, and those that OpenSSL and Java print. */
const types: Readonly<Record<string, string>> = {
  cn: '2.5.4.3',
  l: '2.5.4.7',
  st: '2.5.4.8',
  o: '2.5.4.10',
  ou: '2.5.4.11',
  c: '2.5.4.6',
  street: '2.5.4.9',
  dc: '0.9.2342.19200300.100.1.25',
  uid: '0.9.2342.19200300.100.1.1',
  sn: '2.5.4.4',
  surname: '2.5.4.4',
  serialnumber: '2.5.4.5',
  title: '2.5.4.12',
  description: '2.5.4.13',
  businesscategory: '2.5.4.15',
  postalcode: '2.5.4.17',
  name: '2.5.4.41',
  gn: '2.5.4.42',
  givenname: '2.5.4.42',
  initials: '2.5.4.43',
  generationqualifier: '2.5.4.44',
  dnqualifier: '2.5.4.46',
  pseudonym: '2.5.4.65',
  organizationidentifier: '2.5.4.97',
  emailaddress: '1.2.840.113549.1.9.1',
  jurisdictionl: '1.3.6.1.4.1.311.60.2.1.1',
  jurisdictionst: '1.3.6.1.4.1.311.60.2.1.2',
  jurisdictionc: '1.3.6.1.4.1.311.60.2.1.3',
}

/** How many attributes a name may have. */
const mostAttributes = 100

/**
 * A distinguished name in the form in which equal names are equal texts. Attribute types count by their object identifiers; values without
 * regard to the case of ASCII letters and to how many spaces there are (RFC 5280 section 7.1). Everything else
 * must be the same, so that no two letters become equal that only look alike, such as the Kelvin sign and K.
 */
export type CanonicalName = string & { readonly canonical: true }

/**
 * Reads a distinguished name as a text (RFC 4514 section 3).
 * @returns undefined for another text
 */
export function canonicalNameOf(text: string): CanonicalName | undefined {
  try {
    const relative = splitAt(text, ',').map((one) => splitAt(one, '+').map(attributeOf))
    return canonical(relative)
  } catch {
    return undefined
  }
}

/** Reads the subject or the issuer of a certificate (RFC 5280 section 4.1.2.4). @throws Error where it is no name */
export function canonicalNameIn(name: DerValue): CanonicalName | undefined {
  const relative = partsIn(name, derTag.sequence).map((one) =>
    partsIn(one, derTag.set).map((attribute) => {
      const [type, value] = partsIn(attribute, derTag.sequence)
      if (type === undefined || value === undefined) throw new Error('no attribute')
      return { type: objectIdentifierOf(type), value: canonicalValue(value) }
    }),
  )
  // RFC 4514 section 2.1: as a text, a name begins with its last part.
  return canonical(relative.reverse())
}

type Attribute = { type: string; value: string }

function canonical(relative: Attribute[][]): CanonicalName | undefined {
  const count = relative.flat().length
  if (count === 0 || count > mostAttributes) return undefined
  return JSON.stringify(
    relative.map((attributes) => attributes.map(({ type, value }) => `${type}=${value}`).sort()),
  ) as CanonicalName
}

/** Cuts at a sign that is not escaped. */
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === separator) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}

function attributeOf(text: string): Attribute {
  const [, name = '', written = ''] = /^ *([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+) *= *(.*)$/s.exec(text) ?? []
  const type = /^\d/.test(name) ? name : types[name.toLowerCase()]
  if (type === undefined) throw new Error('no attribute')
  if (!written.startsWith('#')) return { type, value: canonicalText(unescaped(written)) }
  const hex = written.slice(1).trimEnd()
  if (!/^([0-9A-Fa-f]{2})+$/.test(hex)) throw new Error('no hexadecimal digits')
  return { type, value: canonicalValue(readDer(Buffer.from(hex, 'hex'))) }
}

/** A value without its escapes (RFC 4514 section 2.4): of signs, and of bytes of UTF-8. */
function unescaped(written: string): string {
  const bytes: Buffer[] = []
  // The last escaped space is a part of the value, unlike those after it.
  const pieces = written.match(/\\[0-9A-Fa-f]{2}|\\[\\"+,;<>#= ]|[^\\"+,;<>\0]/gsu)
  if (pieces === null || pieces.join('') !== written) throw new Error('a sign that must be escaped')
  for (const piece of pieces) {
    if (/^\\[0-9A-Fa-f]{2}$/.test(piece)) bytes.push(Buffer.from(piece.slice(1), 'hex'))
    else bytes.push(Buffer.from(piece.startsWith('\\') ? piece.slice(1) : piece))
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes))
}

/** A text stays one, whichever type of text it has; a value of another type is its bytes. */
function canonicalValue({ tag, content, bytes }: DerValue): string {
  switch (tag) {
    case derTag.utf8:
      return canonicalText(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content))
    case derTag.printable:
    case derTag.numeric:
    case derTag.ia5:
      return canonicalText(content.toString('latin1'))
    case derTag.bmp:
      return canonicalText(new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true }).decode(content))
    default:
      return `#${bytes.toString('hex')}`
  }
}

/** After a sign that tells it from bytes. */
function canonicalText(text: string): string {
  return `"${asciiLower(text).replace(/ +/g, ' ').replace(/^ | $/g, '')}`
}

/** A text with its ASCII letters in lower case, and no others. */
export function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
