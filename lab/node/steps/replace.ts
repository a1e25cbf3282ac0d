import { setTimeout as sleep } from 'node:timers/promises'
import { helm, kubectl, pods, services, settled, upgrade } from '../cluster.ts'
import { expectThat, type Step, seconds } from '../findings.ts'
import { theClient, type Way } from '../gateway.ts'
import { expectNoFailure, inWords, startLoad } from '../load.ts'

/** The uids of all pods of some services. */
async function present(names: readonly string[]): Promise<Set<string>> {
  const all = await Promise.all(names.map((name) => pods(name)))
  return new Set(all.flat().map(({ metadata }) => metadata.uid))
}

/**
 * Does something that replaces every pod, under load.
 * @param options.names the services whose pods are replaced, by default all
 * @param options.way the way of the load, by default through the Service
 * @returns the findings, in words
 */
export async function replaceAll(
  during: string,
  change: () => Promise<unknown>,
  { names = services, way }: { names?: readonly string[]; way?: Way } = {},
): Promise<string> {
  const load = startLoad(await theClient(), 20, way)
  await sleep(3_000)
  const before = await present(names)
  const began = Date.now()
  await change()
  await settled()
  const took = Date.now() - began
  await sleep(5_000)
  const attempts = await load.stop()
  expectNoFailure(attempts, during)
  const after = await present(names)
  expectThat(![...after].some((uid) => before.has(uid)), `${during}: not every pod was replaced`)
  expectThat(after.size === before.size, `${during}: there were ${before.size} pods, now ${after.size}`)
  return `${before.size} pods in ${seconds(took)}; ${inWords(attempts)}`
}

export const rolling: Step = {
  name: 'rolling',
  title: 'helm upgrade and helm rollback replace every pod, under load',
  async run(found) {
    const change = () => upgrade(`defaults.podAnnotations.round=r${Date.now()}`)
    found('helm upgrade', await replaceAll('helm upgrade', change))
    found('helm rollback', await replaceAll('helm rollback', () => helm('rollback', 'gatehouse')))
  },
}

export const drain: Step = {
  name: 'drain',
  title: 'A node is drained, with the budgets that allow one pod of a service at a time',
  async run(found) {
    const evict = async () => {
      const options = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=280s']
      const those = `--pod-selector=app.kubernetes.io/component in (${services})`
      const drained = kubectl('drain', 'node', ...options, those)
      // There is no other node to go to: it takes pods again as soon as the evictions have begun.
      await sleep(2_000)
      await kubectl('uncordon', 'node')
      await drained
    }
    found('kubectl drain', await replaceAll('kubectl drain', evict))
  },
}
