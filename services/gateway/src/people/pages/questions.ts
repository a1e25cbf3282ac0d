import { Signer } from '@fastify/cookie'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'

/** Questions that pages ask users, as the forms of the pages carry them. */
export type Questions<Question> = {
  write(question: Question): string
  /** @returns undefined when the signature is invalid or the question has expired */
  read(text: string): Question | undefined
}

/** In milliseconds: as long as an authorization request waits. */
const lifetime = 900_000

/**
 * Signs questions, so that the user's answer belongs to the question that the page asked, in the session in which it asked.
 * @param kind one key signs the questions of all kinds and the cookies: no cookie's value begins with a kind and a dot
 * @param now in milliseconds since the Unix epoch
 */
export function createQuestions<Question extends object>(
  kind: 'consent' | 'organization' | 'logout',
  key: Keyring,
  now: () => number,
): Questions<Question> {
  const signer = new Signer(key)
  const beginning = `${kind}.`
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
      ) as { expires: number }
      return expires > now() ? (question as Question) : undefined
    },
  }
}
