import { createHmac } from 'node:crypto'
import { ConfigurationError } from '@gatehouse/kit/config/config'

const prefix = 'whsec_'
/** The minimum of Standard Webhooks. */
const leastKeyBytes = 24
const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/
const printable = /^[!-~]+$/

/**
 * Reads the keys that sign webhooks.
 * @param text one or more secrets, separated by spaces: `whsec_` and base64, or a plain text of ASCII characters
 * @throws ConfigurationError when a secret is malformed or has fewer than 24 bytes
 */
export function signingKeys(text: string): Buffer[] {
  return text
    .split(' ')
    .filter((secret) => secret !== '')
    .map((secret) => {
      const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined
      const readable = encoded === undefined ? printable.test(secret) : base64.test(encoded)
      const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64')
      if (readable && key.length >= leastKeyBytes) return key
      throw new ConfigurationError(
        `OAUTH2_EVENTS_WEBHOOK_SECRET must be ${prefix} and the base64 of at least ${leastKeyBytes} bytes, or a text of at least as many ASCII characters; two secrets must be separated by a space`,
      )
    })
}

/** The parts of a message that its signature covers. */
export type SignedMessage = {
  id: string
  /** Seconds since the Unix epoch. */
  timestamp: number
  body: Buffer
}

/**
 * Creates the headers that sign a message (Standard Webhooks, symmetric signatures: HMAC-SHA256 over id, timestamp and body).
 * @param keys each key signs, and a receiver needs to know only one of them
 */
export function signatureHeaders(keys: readonly Buffer[], { id, timestamp, body }: SignedMessage) {
  const signatures = keys.map((key) => {
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
    return `v1,${digest}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
