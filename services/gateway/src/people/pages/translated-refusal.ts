import { Refusal } from '@gatehouse/kit/errors'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { type Texts, textsIn } from '../texts/table.ts'

const en = textsIn('en')

/** A refusal that people read in the language of their page. Programs and the log get it in English. */
export class TranslatedRefusal extends Refusal {
  readonly explain: (texts: Texts) => string

  constructor(
    code: ErrorCode,
    explain: (texts: Texts) => string,
    options?: ConstructorParameters<typeof Refusal>[2],
  ) {
    super(code, explain(en), options)
    this.explain = explain
  }
}

/** Sentences for people that other services say, in English. */
const knownSentences: readonly ((texts: Texts) => string)[] = [(t) => t.consent.over]

/** The explanation of a refusal for people; undefined when its description helps only developers. */
export function explanationOf(refusal: Refusal, texts: Texts): string | undefined {
  if (refusal instanceof TranslatedRefusal) return refusal.explain(texts)
  return knownSentences.find((sentence) => sentence(en) === refusal.description)?.(texts)
}
