import { certificatesIn } from '@gatehouse/kit/certificates/authorities'

/** A certificate as it was presented: DER, with those that came with it. */
export type PresentedCertificate = { certificate: Buffer; chain: Buffer[] }

/** The value of a header, or why it has no certificate: the rest of a sentence that begins with the header's name. */
type ReadHeader = PresentedCertificate | { fault: string }

/**
 * Reads the header in which a proxy passes on the certificate of a caller.
 * @param name the name of the header, in lower case, which says in which form it is
 * @param value its value
 * @param chain the value of Client-Cert-Chain (RFC 9440 section 2.3), where it is there
 */
export function readCertificateHeader(name: string, value: string, chain?: string): ReadHeader {
  if (name === 'client-cert') return readClientCert(value, chain)
  if (name === 'x-forwarded-client-cert') return readForwarded(value)
  return readEscaped(value)
}

/** The names of all headers that count where this one does, in lower case. */
export function headersWith(name: string): string[] {
  return name === 'client-cert' ? [name, chainHeader] : [name]
}

/** The header with the certificates between that of the caller and their authority. */
export const chainHeader = 'client-cert-chain'

/** A sequence of bytes (RFC 9651 section 3.3.5). */
const byteSequence = /^:([A-Za-z0-9+/]+={0,2}):$/

/** RFC 9440 section 2: the certificate is a sequence of bytes, its chain a list of them. */
function readClientCert(value: string, chain: string | undefined): ReadHeader {
  const items = [value, ...(chain === undefined ? [] : chain.split(','))]
  const [certificate, ...others] = items.map((item) => byteSequence.exec(item.trim())?.[1])
  if (certificate === undefined || others.includes(undefined))
    return { fault: 'must be a sequence of bytes such as :MIIB…: (RFC 9440)' }
  const decoded = others.map((base64 = '') => Buffer.from(base64, 'base64'))
  return { certificate: Buffer.from(certificate, 'base64'), chain: decoded }
}

/** Percent-encoded PEM, such as of nginx’s $ssl_client_escaped_cert. */
function readEscaped(value: string): ReadHeader {
  const [certificate, ...chain] = certificatesIn(unescaped(value) ?? '')
  return certificate ? { certificate, chain } : { fault: 'must be a certificate as escaped PEM' }
}

/** Envoy's X-Forwarded-Client-Cert, of which only the proxy next to the gateway may have written an element. */
function readForwarded(value: string): ReadHeader {
  const elements = splitUnquoted(value, ',')
  const pairs = elements.length === 1 ? pairsOf(value) : undefined
  if (elements.length > 1) return { fault: 'has several elements: the proxy must replace it, not add to it' }
  if (pairs === undefined) return { fault: 'is malformed' }
  const [certificates, chains] = ['cert', 'chain'].map((key) => pairs.filter(([name]) => name === key))
  if (certificates?.length !== 1 || chains === undefined || chains.length > 1)
    return { fault: 'must have Cert once: set_current_client_cert_details needs cert: true' }
  const [certificate, ...more] = certificatesIn(unescaped(certificates[0]?.[1] ?? '') ?? '')
  // The chain begins with the certificate itself.
  const chain = certificatesIn(unescaped(chains[0]?.[1] ?? '') ?? '')
  if (certificate === undefined || more.length > 0 || (chains.length > 0 && !chain[0]?.equals(certificate)))
    return { fault: 'must have one certificate as escaped PEM in Cert, with which Chain begins' }
  return { certificate, chain: chain.slice(1) }
}

function pairsOf(element: string): [name: string, value: string][] | undefined {
  const pairs = splitUnquoted(element, ';').map((pair): [string, string] | undefined => {
    const [, name, quoted, plain] = /^ *([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^"]*)) *$/.exec(pair) ?? []
    if (name === undefined) return undefined
    return [name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '']
  })
  return pairs.every((pair) => pair !== undefined) ? pairs : undefined
}

/** Cuts at a sign outside of quotation marks. */
function splitUnquoted(text: string, separator: string): string[] {
  const parts: string[] = []
  let [from, quoted] = [0, false]
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    if (sign === '\\' && quoted) at += 1
    else if (sign === '"') quoted = !quoted
    else if (sign === separator && !quoted) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
