import { Loader } from '@mantine/core'
import { Failure } from './failure.tsx'

/** In place of what is not read yet, or could not be read. Once something was read, nothing is shown. */
export function Loading({
  query: { data, error, refetch },
}: {
  query: { data: unknown; error: unknown; refetch(): unknown }
}) {
  if (data) return null
  return error ? <Failure error={error} retry={refetch} /> : <Loader size="sm" />
}
