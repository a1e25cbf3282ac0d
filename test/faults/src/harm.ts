import { setTimeout as sleep } from 'node:timers/promises'
import { doHarm, drawFaults, type Fault, type Plan } from './faults.ts'
import type { Options } from './options.ts'
import type { Plant } from './plants.ts'
import { createRandom } from './random.ts'
import type { Wellness } from './wellness.ts'
import type { World } from './world.ts'

/** How long the system runs under load before the first fault, and after the last one, in milliseconds; in a quick run less. */
const calmMs = { long: 10_000, quick: 3_000 }
/** The part of a run in which replica b may be stopped or killed. */
const dangerForB = 0.4

/**
 * Causes one fault after the other while the load runs.
 * @param options.first what is harmed first
 * @param options.began when the load began, in milliseconds since the Unix epoch
 * @param options.faults gets the faults
 */
export async function harm(
  world: World,
  options: Options & {
    first: Plant['first']
    began: number
    faults: Fault[]
    isWell: Wellness
    signal: AbortSignal
    tell: (line: string) => void
  },
): Promise<void> {
  const { began, minutes, quick, faults, isWell, signal, tell } = options
  const length = minutes * 60_000
  const calm = quick ? calmMs.quick : calmMs.long
  const elapsed = () => Date.now() - began
  const plans = drawFaults(createRandom(options.seed), () => !quick && elapsed() > length * dangerForB)
  const pause = (ms: number) => sleep(ms, undefined, { signal })
  await pause(calm)
  let first: Plan | undefined = options.first && { ...options.first, replica: 'a', lasts: 500, pause: 500 }
  // A fault lasts at most 5 s, and the recovery takes a little longer.
  while (elapsed() < length - calm - (quick ? 5_000 : 10_000)) {
    const plan = first ?? plans.next().value
    first = undefined
    const since = Date.now()
    const fault = await doHarm(plan, world, isWell).catch((error): Fault => {
      tell(`${plan.target}-${plan.replica} could not be ${plan.harm}: ${error}`)
      return { ...plan, began: since, over: Date.now(), recovery: undefined, ready: undefined }
    })
    faults.push(fault)
    if (fault.recovery === undefined || fault.ready === undefined)
      tell(`${plan.target}-${plan.replica} was ${plan.harm} and does not recover`)
    await pause(plan.pause)
  }
  await pause(Math.max(0, length - elapsed()))
}
