import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rootDirectory } from '../../bench/src/repository.ts'
import type { Options } from './options.ts'
import { plants } from './plants.ts'
import { runProof } from './proof.ts'

/** What became of a planted fault. */
export type Planted = {
  name: string
  what: string
  rule: string
  found: boolean
  /** Seconds from the beginning of the load until it was heard. */
  seconds: number | undefined
  /** How often. */
  times: number
  date: string
  revision: string
}

const file = join(rootDirectory, '.gatehouse', 'proof', 'planted.json')

/** Plants a fault in a system, and sees whether its rule finds it. */
export async function findPlant(
  name: string,
  options: Options,
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<Planted> {
  const { what = '', rule = '' } = plants[name] ?? {}
  const { findings, began, date, machine } = await runProof({ ...options, plant: name }, signal, tell)
  const own = findings.filter((one) => one.rule === rule)
  const first = Math.min(...own.map(({ at }) => at))
  return {
    name,
    what,
    rule,
    found: own.length > 0,
    seconds: own.length > 0 ? Math.max(0, Math.round((first - began) / 1000)) : undefined,
    times: own.length,
    date,
    revision: machine.revision,
  }
}

/** Keeps what became of all planted faults, for the page. */
export function writePlanted(all: readonly Planted[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o711 })
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`)
}

/** What became of the planted faults when they were planted last; none if they never were. */
export function readPlanted(): Planted[] {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}
