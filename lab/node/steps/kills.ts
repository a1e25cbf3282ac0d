import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isReady, kubectl, type Pod, pods, services, until } from '../cluster.ts'
import { expectThat, type Step, seconds } from '../findings.ts'
import { type Attempt, askForToken, isActive, theClient } from '../gateway.ts'
import { expectNoFailure, failures, inWords, startLoad } from '../load.ts'

/** The process ids of a pod's program on the node, which sees the processes of all pods. */
export function processesOf({ metadata }: Pod): number[] {
  const mine = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return mine.map(Number).filter((pid) => {
    try {
      const isPause = readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep')
      return !isPause && readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(metadata.uid)
    } catch {
      return false
    }
  })
}

/** Kills what runs in a pod, as when memory is short. */
function kill(pod: Pod): void {
  const processes = processesOf(pod)
  expectThat(processes.length > 0, `there is no process of ${pod.metadata.name}`)
  for (const pid of processes) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The first one took it along.
    }
  }
}

/** Deletes a pod, whose successor mounts its volume anew. */
const remove = ({ metadata }: Pod) => kubectl('delete', 'pod', metadata.name, '--wait=false')

/** Does something to one pod of a component under load, and waits until there are as many as before. */
async function harm(component: string, how: (pod: Pod) => unknown) {
  const client = await theClient()
  const load = startLoad(client)
  await sleep(2_000)
  const before = await pods(component)
  const [pod] = before
  expectThat(pod !== undefined, `there is no pod of ${component}`)
  await how(pod)
  const isSame = ({ metadata }: Pod) => metadata.uid === pod.metadata.uid
  await until(
    `${component} is away`,
    async () => !(await pods(component)).filter(isSame).some(isReady),
    60_000,
  )
  const isBack = async () => {
    const now = await pods(component)
    return now.length === before.length && now.every(isReady)
  }
  const backAfter = await until(`${component} is back`, isBack, 120_000)
  await until('tokens are issued', async () => (await askForToken(client)).status === 200, 60_000)
  await sleep(3_000)
  return { attempts: await load.stop(), backAfter }
}

export const kills: Step = {
  name: 'kills',
  title: 'kill -9 of a pod of each service, of PostgreSQL and of Redis, under load',
  async run(found) {
    for (const name of [...services.filter((one) => one !== 'gateway'), 'redis']) {
      const { attempts, backAfter } = await harm(name, kill)
      expectNoFailure(attempts, `${name} was killed`)
      found(name, `${inWords(attempts)}; ready again ${seconds(backAfter)} after it was missed`)
    }
    const gateway = await harm('gateway', kill)
    found('gateway', `${inWords(gateway.attempts)}. ${spanOf(gateway.attempts)}`)
    // Only the requests that it was serving fail, and connections until everybody knows that it is gone: no request that it answered.
    const answered = failures(gateway.attempts).filter(({ status }) => status !== 0)
    expectThat(answered.length === 0, `a gateway answered ${answered[0]?.status} ${answered[0]?.error}`)

    const client = await theClient()
    const { token } = await askForToken(client)
    for (const [what, how] of [
      ['PostgreSQL', kill],
      ['PostgreSQL, whose pod is deleted, so that its volume is mounted anew', remove],
    ] as const) {
      const { attempts, backAfter } = await harm('postgresql', how)
      const isPolite = ({ status, retryAfter }: Attempt) =>
        status === 503 && /^[1-9]\d*$/.test(retryAfter ?? '')
      const rude = failures(attempts).filter((attempt) => !isPolite(attempt))
      expectThat(rude.length === 0, `${what}: ${rude[0]?.status} ${rude[0]?.error}`)
      expectThat(await isActive(client, token), `${what}: a token from before is not active`)
      found(
        what,
        `${inWords(attempts)}. ${spanOf(attempts)} Ready again ${seconds(backAfter)} after it was missed`,
      )
    }
    found('a token from before', 'active')
  },
}

/** From when to when requests failed. */
function spanOf(attempts: Attempt[]): string {
  const failed = failures(attempts)
  if (failed.length === 0) return 'None failed.'
  const times = failed.flatMap(({ at, took }) => [at, at + took])
  const kinds = [
    ...new Set(failed.map(({ status, error }) => (status === 0 ? error : `${status} with Retry-After`))),
  ]
  return `Failed during ${seconds(Math.max(...times) - Math.min(...times))}: ${kinds.join(', ')}.`
}
