import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api.ts'
import type { ItemOf, ListPath } from '../list/definition.ts'
import { shellTexts } from '../shell/texts.ts'
import { useTexts } from '../texts/language.ts'

/** Something that people choose by searching for it. */
export type Choice = { value: string; label: string; detail: string }

/** In milliseconds. */
const typing = 200
/** How many are offered at once. */
const limit = 20

/**
 * Finds things of a list of the API while somebody types.
 * @param choiceOf an item as people choose it
 * @param place the parameters of the path
 * @param chosen those that are chosen already, which keep their names while others are found
 * @returns the properties of an input that offers them, and a function that gives those with some ids
 */
export function useFound<Path extends ListPath>(
  path: Path,
  choiceOf: (item: ItemOf<Path>) => Choice,
  chosen: readonly Choice[],
  place: object = {},
) {
  const t = useTexts(shellTexts)
  const [text, setText] = useState('')
  // An input of one choice has its name as its text.
  const typed = chosen.some(({ label }) => label === text) ? '' : text.trim()
  const [sought] = useDebouncedValue(typed, typing)
  const query = useQuery(read(path, { path: place, query: { limit, ...(sought && { search: sought }) } }))
  const pending = query.isPending || sought !== typed
  // Every list of the API answers in this form, which TypeScript cannot follow for a path that it does not know yet.
  const items = (query.data as { items: readonly ItemOf<Path>[] } | undefined)?.items ?? []
  // Enter must not take what an earlier text found.
  const found = pending ? [] : items.map(choiceOf)
  const known = [...new Map([...found, ...chosen].map((choice) => [choice.value, choice])).values()]
  const choices = (ids: readonly string[]) => known.filter(({ value }) => ids.includes(value))
  return {
    choices,
    input: {
      searchable: true,
      searchValue: text,
      onSearchChange: setText,
      data: known,
      filter: ({ options }: { options: readonly unknown[] }) => options as never,
      nothingFoundMessage: pending ? t.searching : query.isError ? t.searchFailed : t.nothingFound,
      renderOption: ({ option: { value } }: { option: { value: string } }) => (
        <ChoiceText choice={known.find((choice) => choice.value === value)} />
      ),
    },
  }
}

function ChoiceText({ choice }: { choice: Choice | undefined }) {
  return (
    <div style={{ minInlineSize: 0 }}>
      <Text size="sm" truncate>
        <bdi>{choice?.label}</bdi>
      </Text>
      {choice?.detail && (
        <Text size="xs" truncate>
          <bdi>{choice.detail}</bdi>
        </Text>
      )}
    </div>
  )
}
