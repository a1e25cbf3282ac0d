import { setTimeout as sleep } from 'node:timers/promises'
import { type Replica, replicaPorts } from '@gatehouse/test/replica'
import type { JobAttempt } from '@gatehouse/test/traffic'
import { expect } from 'vitest'

/** The address of a gateway itself, without anything in front of it. */
export function gatewayUrl(gateway: Replica): string {
  return `http://${gateway.address}:${replicaPorts.http}`
}

/** How many tokens each replica has issued. */
export function issuedBy(replicas: Replica[]): Promise<number[]> {
  return Promise.all(replicas.map((replica) => replica.metric('oauth_token_issued_total')))
}

/** How many tokens one measurement needs: fewer say little. */
const sample = 400

/**
 * Waits until some replicas have their share of the load.
 * @param withinMs how long that may take, in milliseconds
 * @param all every replica that shares the load, and no other
 * @param some those that are waited for
 * @param part what part of an even share each must have at least
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
    // The oldest look is dropped as soon as what came after it is enough to judge by.
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
