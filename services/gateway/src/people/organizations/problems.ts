import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { markRefused } from '../pages/errors.ts'
import type { Problem } from '../pages/form-problem.ts'
import { explanationOf } from '../pages/translated-refusal.ts'
import type { Texts } from '../texts/table.ts'

/**
 * The words for what the identity service refuses, by how its sentence begins, and the field that they are about. They may quote the
 * sentence.
 */
export type ProblemWords = readonly (readonly [
  begins: string,
  text: (texts: Texts, sentence: string) => string,
  field?: string,
])[]

/**
 * Does what a form wants.
 * @returns why not, for the form, which says it; undefined when it is done
 * @throws what is not about the form
 */
export async function problemWith(
  act: () => Promise<unknown>,
  words: ProblemWords,
  { request, reply, texts }: { request: FastifyRequest; reply: FastifyReply; texts: Texts },
): Promise<Problem | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal) || error.httpStatus >= 500) throw error
    const [, text, field] = words.find(([begins]) => error.description.startsWith(begins)) ?? []
    if (text === undefined && error.code !== 'invalid_request') throw error
    markRefused(request, reply, error)
    return {
      text: text?.(texts, error.description) ?? explanationOf(error, texts) ?? error.description,
      field,
    }
  }
}
