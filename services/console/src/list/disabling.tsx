import type { Disabling } from '../actions/action.ts'
import { useDisablingActions } from '../actions/use-action.ts'
import { State } from '../parts/state.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import type { Column, Filter } from './definition.ts'

/** The filter, the column and the actions of a list whose items can be disabled. */
export function useDisabling<Item extends { disabled: boolean }>(words: Disabling<Item>) {
  const t = useTexts(commonTexts)
  const { enable, disable } = useDisablingActions(words)
  const filter: Filter = {
    name: 'disabled',
    label: t.state,
    kind: 'choice',
    choices: [
      { value: 'false', label: t.active },
      { value: 'true', label: t.disabled },
    ],
  }
  const column: Column<Item> = {
    name: 'disabled',
    label: t.state,
    cell: ({ disabled }) => <State disabled={disabled} />,
    text: ({ disabled }) => (disabled ? t.disabled : t.active),
  }
  return { filter, column, bulk: [enable, disable] }
}
