import { Text } from '@mantine/core'
import { ButtonLink } from '../parts/button-link.tsx'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/language.ts'
import { useSections } from './administrator.tsx'
import { shellTexts } from './texts.ts'

/** In place of a page that does not exist, with a way to one that does. */
export function NotFound() {
  const t = useTexts(shellTexts)
  const [first] = useSections()
  return (
    <Page title={t.pageNotFound}>
      <Text>{t.pageNotFoundText}</Text>
      {first && (
        <div>
          <ButtonLink to={first.path}>{t.goTo(t[first.name])}</ButtonLink>
        </div>
      )}
    </Page>
  )
}
