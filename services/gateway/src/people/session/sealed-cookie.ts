import { randomBytes } from 'node:crypto'
import { createEncryption } from '@gatehouse/kit/encryption'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A short-lived cookie for one page, which only this server can read. A cookie that is bound to a text can be read only with that text. */
export type SealedCookie<Content> = {
  set(reply: FastifyReply, content: Content, boundTo?: string): void
  /** @returns undefined when there is none that is bound to the text, or its time is over */
  read(request: FastifyRequest, boundTo?: string): Content | undefined
  clear(reply: FastifyReply): void
}

/** The parts of such a cookie. */
export type SealedCookieOptions = {
  name: string
  /** The page, which alone gets the cookie. */
  path: string
  /** In seconds. */
  lifetime: number
  /** OAUTH2_SESSION_KEY, which all gateways share: any of them may be asked for the page. */
  key: Keyring
  /** Whether browsers send it over https only. */
  secure: boolean
  /** `lax` for a page to which others than our own forms lead, such as a provider after a login. */
  sameSite?: 'strict' | 'lax'
  /** In milliseconds since the Unix epoch. */
  now(): number
}

/** Creates a kind of sealed cookie. It is encrypted, so that what a page shows once lies nowhere in plain text. */
export function createSealedCookie<Content extends object>({
  name,
  path,
  lifetime,
  key,
  secure,
  sameSite = 'strict',
  now,
}: SealedCookieOptions): SealedCookie<Content> {
  const encryption = createEncryption(key, `gatehouse: cookie ${name}`, randomBytes)
  // Strict where only our own forms lead to the page.
  const shared = { httpOnly: true, sameSite, secure, path } as const
  return {
    set(reply, content, boundTo = '') {
      const text = JSON.stringify({ content, expires: now() + lifetime * 1_000 })
      const value = encryption.encrypt(Buffer.from(text), boundTo).toString('base64url')
      reply.setCookie(name, value, { ...shared, maxAge: lifetime })
    },
    read(request, boundTo = '') {
      const sealed = Buffer.from(request.cookies[name] ?? '', 'base64url')
      const text = decrypted(() => encryption.decrypt(sealed, boundTo))
      if (text === undefined) return undefined
      const { content, expires } = JSON.parse(text) as { content: Content; expires: number }
      return expires > now() ? content : undefined
    },
    clear: (reply) => void reply.clearCookie(name, shared),
  }
}

function decrypted(decrypt: () => Buffer): string | undefined {
  try {
    return decrypt().toString()
  } catch {
    return undefined
  }
}
