import { Alert, List } from '@mantine/core'
import { useState } from 'react'
import { ApiError } from '../api.ts'
import { useNotices } from '../parts/notice.tsx'
import { renewAll } from '../queries.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { heldRoleTexts } from './texts/role.ts'

/** The result of one item of a change. */
export type Outcome = { outcome: 'done' | 'unchanged' | 'refused'; reason?: string }

/** A result with the name of its item. */
export type NamedOutcome = Outcome & { name: string }

/** Reads the result of a change of one item. @throws ApiError when it was refused */
export function demandDone([result]: readonly Outcome[]): void {
  if (result?.outcome === 'refused') throw new ApiError(400, 'access_denied', result.reason ?? '')
}

/**
 * Performs a change of several items, and says what became of each.
 * @param words what is said of those that were done, and of those that were so before
 * @returns a function that performs it and resolves to the names of those that were refused, and the words about these
 */
export function useOutcomes(words: { done(names: string): string; unchanged(names: string): string }) {
  const t = useTexts(heldRoleTexts)
  const { language } = useLanguage()
  const { done, failed } = useNotices()
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<readonly NamedOutcome[]>([])
  const namesOf = (results: readonly NamedOutcome[], wanted: Outcome['outcome']) => {
    const names = results.filter(({ outcome }) => outcome === wanted).map(({ name }) => name)
    return names.length > 3 ? `${names.slice(0, 3).join(', ')}, …` : names.join(', ')
  }

  /** @returns whether it was sent; otherwise people can try again */
  async function perform(work: () => Promise<readonly NamedOutcome[]>): Promise<boolean> {
    setBusy(true)
    setRefused([])
    try {
      const results = await work()
      for (const [outcome, say] of [
        ['done', words.done],
        ['unchanged', words.unchanged],
      ] as const) {
        const names = namesOf(results, outcome)
        if (names !== '') done(say(names))
      }
      setRefused(results.filter(({ outcome }) => outcome === 'refused'))
      await renewAll()
      return true
    } catch (error) {
      failed(error)
      return false
    } finally {
      setBusy(false)
    }
  }
  const refusals = refused.length > 0 && (
    <Alert color="red" title={t.refused(refused.length.toLocaleString(language))} role="alert">
      <List size="sm">
        {refused.map(({ name, reason }) => (
          <List.Item key={name}>
            <bdi>{name}</bdi>: {reason}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
  return { perform, busy, refusals }
}
