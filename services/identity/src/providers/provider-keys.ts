import type { JSONWebKeySet, JWK } from 'jose'
import { ProviderFailure } from './social-provider.ts'

/** The most that a provider's keys may have, in bytes, and how many there may be. */
export const longestKeys = 131_072
const mostKeys = 100

/** Keys, and when they were read, in milliseconds since the Unix epoch. */
export type ReadKeys = { set: JSONWebKeySet; readAt: number }

/** The members of public keys that count (RFC 7517, RFC 7518, RFC 8037), and the `issuer` of Microsoft's. */
const members = ['kty', 'use', 'key_ops', 'alg', 'kid', 'crv', 'x', 'y', 'n', 'e', 'pub', 'issuer']
/** In UTF-16 code units: an RSA key of 16,384 bits has 2,731. */
const longestMember = 4_000

/**
 * Reads a JWK Set, and keeps of each key only what verifying needs.
 * @param text what the provider answered; undefined for another status than 200
 * @throws ProviderFailure for anything else, and for too many keys
 */
export function readKeys(text: string | undefined): JSONWebKeySet {
  const keys = text === undefined ? undefined : keysOf(text)
  if (keys === undefined) throw new ProviderFailure('bad answer', 'its keys are no JWK Set')
  if (keys.length > mostKeys) throw new ProviderFailure('bad answer', `it has more than ${mostKeys} keys`)
  return { keys: keys.map(publicKeyOf).filter((key) => key !== undefined) }
}

function keysOf(text: string): unknown[] | undefined {
  try {
    const keys: unknown = JSON.parse(text)?.keys
    return Array.isArray(keys) ? keys : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** @returns undefined for what cannot verify anything */
function publicKeyOf(key: unknown): JWK | undefined {
  const known = Object(key) as Record<string, unknown>
  const kept = Object.fromEntries(
    members.map((name) => [name, known[name]]).filter(([name, value]) => isMember(name, value)),
  )
  return typeof kept.kty === 'string' ? (kept as JWK) : undefined
}

function isMember(name: unknown, value: unknown): boolean {
  if (name === 'key_ops')
    return Array.isArray(value) && value.length <= 10 && value.every((one) => isMember('', one))
  return typeof value === 'string' && value.length <= longestMember
}
