import { ApiError } from '../api.ts'
import { Failure, useErrorWords } from './failure.tsx'
import { Page } from './page.tsx'

/** In place of a page whose subject could not be read. */
export function FailedPage({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const { title } = useErrorWords()(error)
  return (
    <Page title={title}>
      <Failure error={error} retry={retry} />
    </Page>
  )
}

/**
 * Whether an error takes the place of a page: nothing was read before, or it is gone now. Any other error leaves the page, and the
 * form on it, as it is.
 */
export function replacesPage(error: unknown, data: unknown): boolean {
  return data === undefined ? error !== null : error instanceof ApiError && error.status === 404
}
