import { useNavigate } from '@tanstack/react-router'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useAct } from './act.ts'
import type { Question } from './confirm.tsx'

/** The words of a deletion. */
type Words = {
  deleteText: string
  deleteTitle(name: string): string
  deleteEnds: readonly string[]
  deleted(name: string): string
}

/**
 * Deletes what a page is about, once its name was typed, and leads to the list.
 * @param name the name that must be typed
 * @param list the path of the list, or its address
 * @param perform deletes it
 * @returns the action, for a DangerZone
 */
export function useDeletion(
  name: string,
  list: string | { to: string; search: Readonly<Record<string, string>> },
  words: Words,
  perform: () => Promise<unknown>,
): { text: string; question: Question } {
  const common = useTexts(commonTexts)
  const { act } = useAct()
  const navigate = useNavigate()
  return {
    text: words.deleteText,
    question: {
      title: words.deleteTitle(name),
      consequences: words.deleteEnds,
      action: common.delete,
      typed: name,
      perform: () =>
        act(async () => {
          await perform()
          // Before everything is read again: the page must not ask for what is gone.
          await navigate((typeof list === 'string' ? { to: list } : list) as never)
        }, words.deleted(name)),
    },
  }
}
