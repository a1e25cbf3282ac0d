import { Button } from '@mantine/core'
import { useAddressState } from '../parts/address.ts'
import { Icon } from '../parts/icons.tsx'
import { useTexts } from '../texts/language.ts'
import type { Filter } from './definition.ts'
import classes from './list.module.css'
import { listTexts } from './texts.ts'

/** The values that were chosen in a list's finder. A click on a value removes it. */
export function ChosenFilters({ filters }: { filters: readonly Filter[] }) {
  const t = useTexts(listTexts)
  const { searchParams, setSearchParams } = useAddressState()
  const chosen = filters.flatMap((filter) => {
    const value = searchParams[filter.name]
    return filter.kind === 'found' && value ? [{ ...filter, value }] : []
  })
  if (chosen.length === 0) return null
  return (
    <div className={classes.chosen}>
      {chosen.map(({ name, label, value, shown }) => (
        <Button
          key={name}
          variant="light"
          size="xs"
          maw="100%"
          title={t.removeFilter}
          rightSection={<Icon name="close" size={12} />}
          onClick={() => setSearchParams({ [name]: undefined, cursor: undefined })}
        >
          <span>
            {label}: <bdi>{shown(value)}</bdi>
          </span>
        </Button>
      ))}
    </div>
  )
}
