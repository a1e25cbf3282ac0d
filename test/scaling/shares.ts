import { setTimeout as sleep } from 'node:timers/promises'
import { type Replica, replicaPorts } from '@gatehouse/test/replica'
import type { JobAttempt } from '@gatehouse/test/traffic'
import { expect } from 'vitest'

/** The address of one gateway, without the balancer. */
export function gatewayUrl(gateway: Replica): string {
  return `http://${gateway.address}:${replicaPorts.http}`
}

/** How many tokens each replica has issued. */
export function issuedBy(replicas: Replica[]): Promise<number[]> {
  return Promise.all(replicas.map((replica) => replica.metric('oauth_token_issued_total')))
}

/** How many tokens one measurement needs, because fewer say little. */
const sample = 400

/**
 * Waits until some replicas have their share of the load.
 * @param withinMs the longest wait, in milliseconds
 * @param all exactly the replicas that share the load
 * @param some the replicas to wait for
 * @param part the least part of an even share that each must have
 * @returns how long it took, in milliseconds
 */
export async function sharesWithin(
  withinMs: number,
  all: Replica[],
  some: Replica[],
  part: number,
): Promise<number> {
  const began = performance.now()
  let looks = [await issuedBy(all)]
  for (;;) {
    await sleep(500)
    const now = await issuedBy(all)
    const shares = sharesBetween(looks[0] as number[], now)
    const enough = (share: number | undefined) => (share ?? 0) * all.length >= part
    if (shares && some.every((replica) => enough(shares[all.indexOf(replica)]))) {
      return performance.now() - began
    }
    if (performance.now() - began > withinMs) throw new Error(`the shares are ${shares}`)
    // The oldest sample is dropped when the later ones are enough for a measurement.
    looks.push(now)
    const enoughSince = looks.findLastIndex((look) => totalBetween(look, now) >= sample)
    if (enoughSince > 0) looks = looks.slice(enoughSince)
  }
}

function totalBetween(before: number[], now: number[]): number {
  return now.reduce((sum, count, index) => sum + count - (before[index] as number), 0)
}

function sharesBetween(before: number[], now: number[]): number[] | undefined {
  const total = totalBetween(before, now)
  if (total < sample) return undefined
  return now.map((count, index) => (count - (before[index] as number)) / total)
}

/** Expects that failed callers were only told to try again. */
export function expectPolite(failures: JobAttempt[]): void {
  const rude = failures.filter(
    ({ status, error, retryAfter }) =>
      status !== 503 || !error.includes('temporarily_unavailable') || !/^[1-9]\d*$/.test(retryAfter ?? ''),
  )
  expect(rude).toEqual([])
}
