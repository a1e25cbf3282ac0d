import type { ReactNode } from 'react'
import { FailedPage, replacesPage } from './failed-page.tsx'

/**
 * A page about something that is read first. Until then it is empty, and an error takes its place.
 * @param children makes the page of what was read
 */
export function LoadedPage<Subject>({
  query: { data, error, refetch },
  children,
}: {
  query: { data: Subject | undefined; error: unknown; refetch(): unknown }
  children(subject: Subject): ReactNode
}) {
  if (replacesPage(error, data)) return <FailedPage error={error} retry={refetch} />
  return data === undefined ? null : children(data)
}
