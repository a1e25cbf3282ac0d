import type { Replica } from './replica.ts'

export const harms = [
  'killed',
  'stopped in order',
  'suspended',
  'clock jumped',
  'slowed',
  'partitioned',
  'cut off',
] as const
export type Harm = (typeof harms)[number]

export const targets = [
  'gateway',
  'token',
  'client-registry',
  'identity',
  'events',
  'postgresql',
  'redis',
  'nats',
] as const
export type Target = (typeof targets)[number]

/** The harm of a fault, and its target. */
export type FaultKind = { target: Target; harm: Harm }

/** The next fault. Times are in milliseconds. */
export type Plan = FaultKind & {
  replica: Replica
  /** How long it lasts. */
  lasts: number
  /** By how much a clock jumps, or how much later everything arrives. */
  shift: number
  /** Which of the processes that connect to the target are concerned, from 0 up to 1: 0 is the first one, and 1 all of them. */
  share: number
}

/** A fault that happened. Times are in milliseconds since the start of the run. */
export type Fault = Plan & {
  began: number
  /** When it was undone: the process was resumed, or left to its launcher to start again. */
  over: number
  /** When every affected gateway gave a correct answer again; undefined when that did not happen. */
  recovered: number | undefined
  /** When the process itself was ready again. */
  ready: number | undefined
}
