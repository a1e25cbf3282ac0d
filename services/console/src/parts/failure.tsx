import { Alert, Button } from '@mantine/core'
import { ApiError, isOutdated, isSessionOver } from '../api.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { rolesIn, roleTexts } from '../texts/role.ts'

/** The words for an error. */
export function useErrorWords() {
  const t = useTexts(commonTexts)
  const { titles } = useTexts(roleTexts)
  return (error: unknown): { title: string; text: string } => {
    if (!(error instanceof ApiError)) return { title: t.failed, text: String(error) }
    if (error.status === 0) return { title: t.unreachable, text: t.unreachableText }
    if (error.status === 404) return { title: t.notFound, text: t.notFoundText }
    if (isSessionOver(error)) return { title: t.sessionOver, text: t.sessionOverText }
    const roles = rolesIn(error.message).map((role) => titles[role])
    if (error.status === 403 && roles.length > 0)
      return { title: t.forbidden, text: t.otherRoles(roles.join(', ')) }
    if (error.status === 403) return { title: t.forbidden, text: error.message }
    if (isOutdated(error)) return { title: t.failed, text: t.changedMeanwhile }
    return { title: t.failed, text: error.message || error.code }
  }
}

/** Whether the same request would be refused again. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && [401, 403, 404].includes(error.status)
}

/** An error in place of what could not be read. */
export function Failure({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const t = useTexts(commonTexts)
  const { title, text } = useErrorWords()(error)
  return (
    <Alert color="red" title={title} role="alert">
      {text}
      {retry && !isFinal(error) && (
        <Button mt="sm" size="xs" variant="default" display="block" onClick={() => retry()}>
          {t.retry}
        </Button>
      )}
    </Alert>
  )
}
