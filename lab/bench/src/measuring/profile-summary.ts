import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { rootDirectory } from '../repository.ts'

/** The part of V8's .cpuprofile that is needed here. */
export type CpuProfile = {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
  }[]
  samples: number[]
  /** Microseconds since the previous sample. */
  timeDeltas: number[]
}

/** The own time of a function or package, as a share of the time in which the process was not idle. */
export type Cost = { name: string; share: number }

/** The sum of several profiles. */
export type ProfileSummary = {
  /** Share of the time in which the process did nothing. */
  idle: number
  functions: Cost[]
  packages: Cost[]
}

const root = `${pathToFileURL(rootDirectory).href}/`

/** Reads a profile from its file. */
export function readProfile(file: string): CpuProfile {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Sums up profiles: own time by function and by package, most first. */
export function summarizeProfiles(profiles: readonly CpuProfile[]): ProfileSummary {
  const functions = new Map<string, number>()
  const packages = new Map<string, number>()
  let all = 0
  let idle = 0
  for (const { nodes, samples, timeDeltas } of profiles) {
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
    samples.forEach((id, index) => {
      const frame = frames.get(id)
      const time = Math.max(0, timeDeltas[index] ?? 0)
      // Starting and ending the profile is not work of the service.
      if (frame?.url === 'node:inspector') return
      all += time
      if (!frame || frame.functionName === '(idle)') {
        idle += time
        return
      }
      add(functions, describe(frame), time)
      add(packages, packageOf(frame), time)
    })
  }
  return {
    idle: idle / all,
    functions: shares(functions, all - idle),
    packages: shares(packages, all - idle),
  }
}

function add(totals: Map<string, number>, name: string, time: number): void {
  totals.set(name, (totals.get(name) ?? 0) + time)
}

function shares(totals: Map<string, number>, all: number): Cost[] {
  return [...totals].map(([name, time]) => ({ name, share: time / all })).sort((a, b) => b.share - a.share)
}

type Frame = CpuProfile['nodes'][number]['callFrame']

function describe({ functionName, url, lineNumber }: Frame): string {
  const name = functionName || '(anonymous)'
  return url ? `${name}  ${shorten(url)}:${lineNumber + 1}` : name
}

function packageOf({ functionName, url }: Frame): string {
  if (functionName.startsWith('(')) return functionName
  if (url === '') return 'native code'
  if (url.startsWith('node:')) return 'node'
  const path = shorten(url)
  const installed = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
  return installed ?? path.split('/').slice(0, 2).join('/')
}

function shorten(url: string): string {
  return url.startsWith(root) ? url.slice(root.length) : url
}

/** The summary for people. */
export function renderProfileSummary(title: string, summary: ProfileSummary, count = 25): string {
  const lines = ({ functions }: { functions: Cost[] }, most: number) =>
    functions.slice(0, most).map(({ name, share }) => `${(share * 100).toFixed(1).padStart(7)} %  ${name}`)
  return [
    '',
    `  ${title}: idle ${(summary.idle * 100).toFixed(0)} %; own time as a share of the rest`,
    '  by function',
    ...lines(summary, count),
    '  by package',
    ...lines({ functions: summary.packages }, 12),
    '',
  ].join('\n')
}
