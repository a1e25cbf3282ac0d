import { publicKeyIn } from './certificate.ts'

/** A public key as a JSON Web Key (RFC 7517 section 4). */
export type PublicJwk = Readonly<Record<string, unknown>> & { readonly kty: string }

/** The fault of a text that should be public keys. */
export type KeyFault = 'unreadable' | 'private' | 'insecure'

/** The members that only private and symmetric keys have. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** How WebCrypto reads each type of key. */
const pemTypes = [
  { name: 'ECDSA', namedCurve: 'P-256' },
  { name: 'Ed25519' },
  { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
]

/** Whether this browser can compute with keys: it does so only on pages with https, and on those of its own machine. */
export function canCompute(): boolean {
  return globalThis.crypto?.subtle !== undefined
}

/**
 * Reads what somebody pasted: a JSON Web Key, a set of them, or a public key or a certificate as PEM. A certificate becomes the `x5c` of its
 * key. Private keys are refused here, so that they are sent to nobody.
 */
export async function readKeys(text: string): Promise<{ keys: PublicJwk[] } | { fault: KeyFault }> {
  const tidy = text.trim()
  if (/PRIVATE KEY-----/.test(tidy)) return { fault: 'private' }
  return tidy.startsWith('{') ? readJson(tidy) : readPem(tidy)
}

function readJson(text: string): { keys: PublicJwk[] } | { fault: KeyFault } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { fault: 'unreadable' }
  }
  const { keys = [value] } = value as { keys?: unknown }
  if (!Array.isArray(keys) || keys.length === 0) return { fault: 'unreadable' }
  const isPrivate = (key: unknown) =>
    privateMembers.some((name) => Object.hasOwn(Object(key) as object, name)) ||
    (key as { kty?: unknown } | null)?.kty === 'oct'
  if (keys.some(isPrivate)) return { fault: 'private' }
  return keys.every(isJwk) ? { keys } : { fault: 'unreadable' }
}

function isJwk(key: unknown): key is PublicJwk {
  return typeof key === 'object' && key !== null && typeof (key as { kty?: unknown }).kty === 'string'
}

async function readPem(text: string): Promise<{ keys: PublicJwk[] } | { fault: KeyFault }> {
  const [, type, body = ''] =
    /^-----BEGIN (PUBLIC KEY|CERTIFICATE)-----([\sA-Za-z0-9+/=]+)-----END \1-----$/.exec(text) ?? []
  if (type === undefined) return { fault: 'unreadable' }
  if (!canCompute()) return { fault: 'insecure' }
  try {
    const der = Uint8Array.from(atob(body.replaceAll(/\s/g, '')), (character) => character.charCodeAt(0))
    const isCertificate = type === 'CERTIFICATE'
    const key = await readSpki(isCertificate ? publicKeyIn(der) : der)
    if (key === undefined) return { fault: 'unreadable' }
    return { keys: [isCertificate ? { ...key, x5c: [base64(der.buffer)] } : key] }
  } catch {
    return { fault: 'unreadable' }
  }
}

async function readSpki(spki: Uint8Array<ArrayBuffer>): Promise<PublicJwk | undefined> {
  for (const type of pemTypes) {
    try {
      return await publicJwkOf(await crypto.subtle.importKey('spki', spki, type, true, ['verify']))
    } catch {
      // A key of another type.
    }
  }
  return undefined
}

/** A key of WebCrypto as a public JSON Web Key, with the members of its type alone. */
export async function publicJwkOf(key: CryptoKey): Promise<PublicJwk> {
  const { kty = '', crv, x, y, n, e } = await crypto.subtle.exportKey('jwk', key)
  const members = { kty, crv, x, y, n, e }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as PublicJwk
}

/** The members that the thumbprint of each type is made of, in their order. */
const thumbprintMembers: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
}

/** The thumbprint of a key (RFC 7638), in base64url. */
export async function thumbprintOf(key: PublicJwk): Promise<string> {
  const members = (thumbprintMembers[key.kty] ?? []).map((name) => [name, key[name]])
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries(members)))
  return base64url(await crypto.subtle.digest('SHA-256', text))
}

function base64url(bytes: ArrayBuffer): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Bytes in Base64 (RFC 4648 section 4). */
export function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}
