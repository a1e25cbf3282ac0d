import { Alert, Button } from '@mantine/core'
import { ApiError, isOutdated } from '../api.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'

/** The words for an error. */
export function useErrorWords() {
  const t = useTexts(commonTexts)
  return (error: unknown): { title: string; text: string } => {
    if (!(error instanceof ApiError)) return { title: t.failed, text: String(error) }
    if (error.status === 0) return { title: t.unreachable, text: t.unreachableText }
    if (error.status === 404) return { title: t.notFound, text: t.notFoundText }
    if (error.status === 403) return { title: t.forbidden, text: error.message }
    if (isOutdated(error)) return { title: t.failed, text: t.changedMeanwhile }
    return { title: t.failed, text: error.message || error.code }
  }
}

/** An error in place of what could not be read. */
export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const t = useTexts(commonTexts)
  const { title, text } = useErrorWords()(error)
  return (
    <Alert color="red" title={title} role="alert">
      {text}
      {retry && (
        <Button mt="sm" size="xs" variant="default" display="block" onClick={() => retry()}>
          {t.retry}
        </Button>
      )}
    </Alert>
  )
}
