import { State } from '../parts/state.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import type { BulkAction, Column, Filter } from './definition.ts'

/**
 * The filter, the column and the actions of a list whose items can be disabled.
 * @param change enables or disables an item
 * @param consequences what disabling ends
 */
export function useDisabling<Item extends { disabled: boolean }>(
  change: (item: Item, disabled: boolean) => Promise<unknown>,
  consequences: readonly string[],
): { filter: Filter; column: Column<Item>; bulk: BulkAction<Item>[] } {
  const t = useTexts(commonTexts)
  return {
    filter: {
      name: 'disabled',
      label: t.state,
      kind: 'choice',
      choices: [
        { value: 'false', label: t.active },
        { value: 'true', label: t.disabled },
      ],
    },
    column: { name: 'disabled', label: t.state, cell: ({ disabled }) => <State disabled={disabled} /> },
    bulk: [
      { label: t.enable, perform: (item) => change(item, false) },
      { label: t.disable, color: 'red', consequences, perform: (item) => change(item, true) },
    ],
  }
}
