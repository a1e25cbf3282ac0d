import { Text } from '@mantine/core'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { Page } from './page.tsx'

/** In place of a page that does not exist. */
export function Missing() {
  const t = useTexts(commonTexts)
  return (
    <Page title={t.notFound}>
      <Text>{t.notFoundText}</Text>
    </Page>
  )
}
