import { Signer } from '@fastify/cookie'

/** What a page asks the user of a session: whether a client may have a scope. */
export type ConsentQuestion = {
  /** Of the authorization request that waits for the answer. */
  flowId: string
  sessionId: string
  clientId: string
  /** Space-separated. */
  scope: string
}

/** Questions as the forms of pages carry them. */
export type ConsentQuestions = {
  write(question: ConsentQuestion): string
  /** @returns undefined for what is not one of ours or is too old */
  read(text: string): ConsentQuestion | undefined
}

/** As long as an authorization request waits, in milliseconds. */
const lifetime = 900_000
/** One key signs questions and cookies: nothing that begins so is a cookie's value. */
const beginning = 'consent.'

/**
 * Questions that are signed, so that what the user answers is what the page asked, in the session in which it asked.
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
