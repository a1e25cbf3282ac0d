import { Signer } from '@fastify/cookie'

/** The question that a page asks a user: whether a client may have a scope. */
export type ConsentQuestion = {
  /** The authorization request that waits for the answer. */
  flowId: string
  sessionId: string
  clientId: string
  /** What the consent will remember. */
  scope: string
}

/** Questions as the forms of pages carry them. */
export type ConsentQuestions = {
  write(question: ConsentQuestion): string
  /** @returns undefined when the signature is invalid or the question has expired */
  read(text: string): ConsentQuestion | undefined
}

/** In milliseconds: as long as an authorization request waits. */
const lifetime = 900_000
/** One key signs questions and cookies: no cookie's value begins like this. */
const beginning = 'consent.'

/**
 * Signs questions, so that the user's answer belongs to the question that the page asked, in the session in which it asked.
 * @param now in milliseconds since the Unix epoch
 */
export function createConsentQuestions(key: string, now: () => number): ConsentQuestions {
  const signer = new Signer(key)
  return {
    write(question) {
      const text = JSON.stringify({ ...question, expires: now() + lifetime })
      return signer.sign(beginning + Buffer.from(text).toString('base64url'))
    },
    read(text) {
      const { valid, value } = signer.unsign(text)
      if (!valid || !value?.startsWith(beginning)) return undefined
      const { expires, ...question } = JSON.parse(
        Buffer.from(value.slice(beginning.length), 'base64url').toString(),
      ) as ConsentQuestion & { expires: number }
      return expires > now() ? question : undefined
    },
  }
}
