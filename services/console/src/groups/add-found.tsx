import { Button, Group, MultiSelect, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ItemOf, ListPath } from '../list/definition.ts'
import { useTexts } from '../texts/language.ts'
import { type Choice, useFound } from './found.tsx'
import { type NamedOutcome, useOutcomes } from './outcomes.tsx'
import { memberTexts } from './texts/member.ts'

/**
 * A form that finds things, and adds those that were chosen.
 * @param place the parameters of the path
 * @param children inputs beside the search
 * @param hint the words for what the search looks through
 * @param add adds them; it gives a result for each
 * @param done what is said of those that were added
 */
export function AddFound<Path extends ListPath>({
  path,
  place = {},
  children,
  choiceOf,
  label,
  hint,
  add,
  done,
}: {
  path: Path
  place?: object
  children?: ReactNode
  choiceOf(item: ItemOf<Path>): Choice
  label: string
  hint: string
  add(chosen: readonly Choice[]): Promise<readonly NamedOutcome[]>
  done(names: string): string
}) {
  const t = useTexts(memberTexts)
  const [chosen, setChosen] = useState<readonly Choice[]>([])
  const { choices, input } = useFound(path, choiceOf, chosen, place)
  const { perform, busy, refusals } = useOutcomes({ done, unchanged: t.present })
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault()
        if (chosen.length > 0 && (await perform(() => add(chosen)))) setChosen([])
      }}
    >
      <Stack gap="sm">
        <Group align="flex-end" gap="xs">
          <MultiSelect
            {...input}
            label={label}
            placeholder={chosen.length === 0 ? hint : undefined}
            value={chosen.map(({ value }) => value)}
            onChange={(ids) => setChosen(choices(ids))}
            hidePickedOptions
            style={{ flex: '1 1 16rem', maxInlineSize: '32rem' }}
          />
          {children}
          <Button type="submit" loading={busy} disabled={chosen.length === 0}>
            {t.add}
          </Button>
        </Group>
        {refusals}
      </Stack>
    </form>
  )
}
