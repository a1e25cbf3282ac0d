import { useNavigate, useRouterState } from '@tanstack/react-router'

/** The values in the address of a page after the `?`. */
export type SearchParams = Readonly<Record<string, string>>

/**
 * The state of a page that its address keeps, so that a link shows the same.
 * @returns the values in the address, and a function that changes some of them; undefined or an empty text removes a value
 */
export function useAddressState() {
  const navigate = useNavigate()
  const searchParams = useRouterState({ select: ({ location }) => location.search as SearchParams })
  function setSearchParams(
    changes: Readonly<Record<string, string | undefined>>,
    { replace = false } = {},
  ): void {
    void navigate({
      to: '.',
      search: (before: SearchParams) =>
        Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value)),
      replace,
    } as never)
  }
  return { searchParams, setSearchParams }
}
