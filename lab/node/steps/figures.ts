import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { must } from '@gatehouse/test/programs/run'
import { type Pod, pods, services, version } from '../cluster.ts'
import type { Found, Step } from '../findings.ts'
import { theClient } from '../gateway.ts'
import { sizeOfImage } from '../images.ts'
import { expectNoFailure, inWords, startCallers } from '../load.ts'
import { issuedBy } from '../metrics.ts'
import { registry } from '../places.ts'
import { processesOf } from './kills.ts'

const components = [...services, 'postgresql', 'redis']
/** Clock ticks a second of the times in /proc. */
const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** The usage of a pod's processes: CPU since their start in milliseconds, and memory in MiB. */
function usageOf(pod: Pod): { cpu: number; memory: number } {
  const each = processesOf(pod).map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const [, pss = '0'] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
    return { cpu: ((Number(stat[11]) + Number(stat[12])) * 1_000) / ticks, memory: Number(pss) / 1_024 }
  })
  return {
    cpu: each.reduce((sum, one) => sum + one.cpu, 0),
    memory: each.reduce((sum, one) => sum + one.memory, 0),
  }
}

const sum = (values: number[]) => values.reduce((total, one) => total + one, 0)

/** Measures all pods over some time, while something happens or nothing does. */
async function measure(durationMs: number) {
  const found = await Promise.all(components.map(async (name) => [name, await pods(name)] as const))
  const before = found.map(([, list]) => list.map(usageOf))
  const began = Date.now()
  await sleep(durationMs)
  const seconds = (Date.now() - began) / 1_000
  return found.map(([name, list], at) => {
    const after = list.map(usageOf)
    const cpu = sum(after.map((one, index) => one.cpu - (before[at]?.[index]?.cpu ?? 0)))
    return { name, cpu, cores: cpu / 1_000 / seconds, memory: after.map(({ memory }) => Math.round(memory)) }
  })
}

export const figures: Step = {
  name: 'figures',
  title: 'Figures: CPU and memory idle and loaded, tokens a second and core, sizes',
  async run(found) {
    const client = await theClient()
    await sleep(10_000)
    for (const { name, cores, memory } of await measure(30_000))
      found(
        `${name}, idle`,
        `${(cores * 1_000).toFixed(1)} thousandths of a core together, ${memory.join(' and ')} MiB`,
      )
    await whileLoaded(found, client)
    const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
    found('image of Gatehouse, as a node pulls it', megabytes(await pulledSize()))
    found('image of everything else in the cluster, as archive', megabytes(sizeOfImage('tools:1')))
  },
}

type Manifest = { manifests?: { digest: string }[]; layers?: { size: number }[] }

/** How many bytes a node pulls that has no layer of the image yet. */
async function pulledSize(): Promise<number> {
  const inspect = async (what: string): Promise<Manifest> =>
    JSON.parse(
      await must('skopeo', [
        'inspect',
        '--raw',
        '--tls-verify=false',
        `docker://${registry}/gatehouse${what}`,
      ]),
    )
  // A release is a list with an image for each platform, of which this machine's is the first; a draft is an image.
  const { manifests, layers } = await inspect(`:${version}`)
  const [first] = manifests ?? []
  const image = first ? await inspect(`@${first.digest}`) : { layers }
  return sum((image.layers ?? []).map(({ size }) => size))
}

async function whileLoaded(found: Found, client: { id: string; secret: string }): Promise<void> {
  const callers = startCallers(client, 32)
  await sleep(10_000)
  callers.attempts.length = 0
  const tokens = await pods('token')
  const before = sum(await issuedBy(tokens))
  const began = Date.now()
  const usage = await measure(20_000)
  const issued = sum(await issuedBy(tokens)) - before
  const took = (Date.now() - began) / 1_000
  const attempts = await callers.stop()
  expectNoFailure(attempts, 'under full load')
  found('under full load, on connections that are kept', inWords(attempts))
  found(
    'tokens a second that one process asked for, beside all else on the machine',
    String(Math.round(issued / took)),
  )
  for (const { name, cpu, cores, memory } of usage) {
    const isBusy = ['gateway', 'token', 'postgresql'].includes(name)
    const perCore = isBusy ? `; one core would do ${Math.round((issued / cpu) * 1_000)} tokens a second` : ''
    found(`${name}, loaded`, `${cores.toFixed(2)} cores together, ${memory.join(' and ')} MiB${perCore}`)
  }
}
