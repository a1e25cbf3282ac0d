import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault, FaultKind, Plan } from '../history/fault.ts'
import type { HealthCheck } from '../load/health-check.ts'
import { createRandom } from '../random.ts'
import { doHarm, drawFaults, placeOf } from './faults.ts'
import type { World } from './world.ts'

/** When and to what faults happen. */
export type FaultTiming = {
  world: World
  seed: number
  /** How long load and faults last, in milliseconds. */
  lengthMs: number
  /** The mean time from the beginning of a fault to that of the next one, in milliseconds. */
  faultEveryMs: number
  /** The faults that happen first. */
  firstFaults?: readonly FaultKind[] | undefined
  /** When to begin and to end with faults, in milliseconds from the beginning and from the end. */
  calmMs: number
  /** From when on replica b is no longer stopped or killed, as a part of the run. */
  dangerForB: number
  isWell: HealthCheck
  /** Milliseconds since the start of the run. */
  now(): number
  /** When the load ends. */
  until: number
  /** Called with each fault that is over, or failed. */
  happened(fault: Fault): void
  signal: AbortSignal
  tell(line: string): void
}

/** The most faults at once; the system would else never be whole. */
const mostAtOnce = 4

/**
 * Causes faults until the load ends, several at once, but never two in the same place. Resolves when the load shall end and
 * everything has recovered.
 */
export async function causeFaults(timing: FaultTiming): Promise<void> {
  const { now, until, lengthMs, calmMs, signal, seed } = timing
  const pause = (ms: number) => sleep(Math.max(0, ms), undefined, { signal })
  const random = createRandom(seed + 1)
  const sparesB = () => now() > until - lengthMs * (1 - timing.dangerForB)
  const plans = drawFaults(createRandom(seed), sparesB, timing.firstFaults)
  const underWay = new Map<string, Promise<void>>()
  const waiting: Plan[] = []
  await pause(calmMs)
  while (now() < until - calmMs) {
    const next = now() + timing.faultEveryMs * random.between(0.6, 1.4)
    if (underWay.size < mostAtOnce) {
      const plan = nextPlan()
      const happening = cause(plan, timing).finally(() => underWay.delete(placeOf(plan)))
      underWay.set(placeOf(plan), happening)
    }
    await pause(next - now())
  }
  await Promise.all(underWay.values())
  await pause(until - now())

  /** The first plan whose place has no fault. */
  function nextPlan(): Plan {
    for (;;) {
      const place = waiting.findIndex((plan) => !underWay.has(placeOf(plan)))
      const [plan] = place < 0 ? [] : waiting.splice(place, 1)
      if (plan) return plan
      waiting.push(plans.next().value)
    }
  }
}

async function cause(plan: Plan, { world, isWell, now, happened, tell }: FaultTiming): Promise<void> {
  const began = now()
  const fault = await doHarm(plan, world, isWell, now).catch((error): Fault => {
    tell(`${placeOf(plan)} could not be ${plan.harm}: ${error}`)
    return { ...plan, began, over: now(), recovered: undefined, ready: undefined }
  })
  happened(fault)
  if (fault.recovered === undefined || fault.ready === undefined)
    tell(`${placeOf(plan)} was ${plan.harm} and does not recover`)
}
