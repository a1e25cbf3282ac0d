import { hash } from 'node:crypto'

/** The name of a secret in the history: enough of its digest to tell it from all others. */
export function nameOf(secret: string): string {
  return hash('sha256', secret, 'base64url').slice(0, 22)
}

/** A part of a JWT. @throws SyntaxError when it is none */
export function readPart(part: string): {
  kid?: string
  jti?: string
  exp?: number
  sid?: string
  aud?: string
} {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
