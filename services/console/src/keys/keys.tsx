import type { SigningKey } from '@gatehouse/admin-api/generated/openapi'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { Failure } from '../parts/failure.tsx'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/language.ts'
import { AlgorithmKeys } from './algorithm-keys.tsx'
import { keyTexts } from './texts.ts'

/** How often the keys are read while one will change by itself, in milliseconds. */
const interval = 15_000

/** The keys that sign tokens, by algorithm. */
export function Keys() {
  const t = useTexts(keyTexts)
  const { data, error, refetch } = useQuery({
    ...read('/admin/api/keys'),
    refetchInterval: ({ state }) =>
      state.data?.items.some((key) => key.state === 'staged') ? interval : false,
  })
  return (
    <Page title={t.keys} about={t.about}>
      {error && <Failure error={error} retry={refetch} />}
      <Stack gap="lg">
        {byAlgorithm(data?.items ?? []).map(([algorithm, keys]) => (
          <AlgorithmKeys key={algorithm} algorithm={algorithm} keys={keys} />
        ))}
      </Stack>
    </Page>
  )
}

type Algorithm = SigningKey['algorithm']

/** The keys of each algorithm; first those of algorithms that sign. */
function byAlgorithm(keys: readonly SigningKey[]): [Algorithm, SigningKey[]][] {
  const algorithms = [...new Set(keys.map(({ algorithm }) => algorithm))]
  const groups = algorithms.map((algorithm): [Algorithm, SigningKey[]] => [
    algorithm,
    keys.filter((key) => key.algorithm === algorithm),
  ])
  const signs = (keys: readonly SigningKey[]) => keys[0]?.signs.length ?? 0
  return groups.toSorted(([, some], [, others]) => signs(others) - signs(some))
}
