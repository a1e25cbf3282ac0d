import { Button, Group } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useAddressState } from '../parts/address.ts'
import { useTexts } from '../texts/language.ts'
import { listTexts } from './texts.ts'

/** Leads through the pages of a list. @param next the cursor of the next page; undefined on the last one */
export function Pager({ next }: { next: string | undefined }) {
  const t = useTexts(listTexts)
  const { searchParams, setSearchParams } = useAddressState()
  const { history } = useRouter()
  if (next === undefined && !searchParams.cursor) return null
  return (
    <Group justify="flex-end" gap="xs">
      {searchParams.cursor && (
        <>
          <Button variant="default" size="xs" onClick={() => setSearchParams({ cursor: undefined })}>
            {t.first}
          </Button>
          {history.canGoBack() && (
            <Button variant="default" size="xs" onClick={() => history.back()}>
              {t.previous}
            </Button>
          )}
        </>
      )}
      {next !== undefined && (
        <Button variant="default" size="xs" onClick={() => setSearchParams({ cursor: next })}>
          {t.next}
        </Button>
      )}
    </Group>
  )
}
