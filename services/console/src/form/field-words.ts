import type { Language, Texts } from '../texts/language.ts'

/** The label of a field, and the words below its input. */
export type FieldWords = readonly [label: string, description?: string]

/** The words for the fields of a form. Those of the API, which are English, stand for what is not here. */
export type Words<Field extends string> = Readonly<Partial<Record<Field, FieldWords>>>

/**
 * Declares the words for the fields of forms. Each language but English must have all of them: a field that the API gets next does not
 * compile until it has its words, or a form of its own.
 */
export function declareFields<Field extends string>(
  words: { en: Words<Field> } & Readonly<Record<Exclude<Language, 'en'>, Record<Field, FieldWords>>>,
): Texts<Words<Field>> {
  return words
}
