import type { ProcessContext } from '@gatehouse/kit/process/process'
import { repeat } from '@gatehouse/kit/time/repeat'
import {
  type CountFailure,
  countFailures,
  type FailureCountingDeps,
} from './client-authentication-failure.ts'

/** In milliseconds. */
const writeEvery = 10_000

/**
 * Counts failed client authentications, and stores the counts again and again and at the end.
 * @param deps leftOut: counts those that are too many to be stored, for the metrics
 */
export function startCountingFailures(
  context: Pick<ProcessContext<unknown>, 'log' | 'onShutdown'> & Parameters<typeof repeat>[0],
  { store, leftOut }: FailureCountingDeps,
): CountFailure {
  const { count, write } = countFailures({
    store,
    leftOut(missing) {
      leftOut(missing)
      context.log.warn({ count: missing }, 'too many client authentications failed to list them all')
    },
  })
  repeat(context, 'storing failed client authentications', writeEvery, write)
  context.onShutdown(write)
  return count
}
