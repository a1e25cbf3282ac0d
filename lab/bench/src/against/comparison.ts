import type { MachineFacts } from '../measuring/machine.ts'
import type { Options } from '../options.ts'
import type { RoundFigures } from './measure.ts'
import type { Step } from './server.ts'

/** The results of a comparison. */
export type Comparison = {
  date: string
  minutes: number
  machine: MachineFacts
  wrk: string
  settings: Pick<Options, 'rounds' | 'seconds' | 'warmUpSeconds' | 'connections'>
  servers: ComparedResult[]
}

/** The results of one server. */
export type ComparedResult = {
  title: string
  version: string
  setup: string
  without: Partial<Record<Step, string>>
  /** Why it could not be measured on this machine. */
  missing?: string
  rounds: RoundFigures[]
}
