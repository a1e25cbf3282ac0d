import { useTexts } from '../texts/language.ts'
import { mailTexts } from './texts.ts'

/** The words for kinds of mails. @returns a function of the kind's name in the API */
export function useKindWords(): (kind: string) => string {
  const { kinds } = useTexts(mailTexts)
  return (kind) => (kinds as Readonly<Record<string, string>>)[kind] ?? kind
}
