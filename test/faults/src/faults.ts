import { setTimeout as sleep } from 'node:timers/promises'
import { serviceNames } from '@gatehouse/local/services'
import { signalTree } from '@gatehouse/test/signals'
import type { Random } from './random.ts'
import { type Member, type Replica, replicas, type World } from './world.ts'

const ofProcesses = ['killed', 'stopped in order', 'suspended'] as const
const ofLinks = ['partitioned', 'slowed'] as const
export type Harm = (typeof ofProcesses)[number] | (typeof ofLinks)[number]

/** What is harmed, and how. A link is the way from all replicas b to a server. */
export const harmsOf = {
  gateway: ofProcesses,
  token: ofProcesses,
  'client-registry': ofProcesses,
  identity: ofProcesses,
  events: ofProcesses,
  postgresql: ofProcesses,
  redis: ofProcesses,
  'way to postgresql': ofLinks,
  'way to redis': ofLinks,
} as const satisfies Record<string, readonly Harm[]>
export type Target = keyof typeof harmsOf

/** All kinds of faults. */
export const kindsOfFaults = Object.entries(harmsOf).flatMap(([target, harms]) =>
  harms.map((harm): { target: Target; harm: Harm } => ({ target: target as Target, harm })),
)

/** Whether what is harmed stays connected and does not answer. */
export function keepsWaiting(harm: Harm): boolean {
  return harm !== 'killed' && harm !== 'stopped in order'
}

/** The next fault. Times are in milliseconds. */
export type Plan = { target: Target; harm: Harm; replica: Replica; lasts: number; pause: number }

/** A fault that happened. Times are in milliseconds since the Unix epoch. */
export type Fault = Plan & {
  began: number
  /** When it was undone: the process was resumed, or left to its launcher to start again. */
  over: number
  /** Milliseconds from then until every affected gateway gave a correct answer; undefined when that did not happen. */
  recovery: number | undefined
  /** Milliseconds from then until the process itself was ready again. */
  ready: number | undefined
}

/**
 * Draws the faults: every kind of harm to every kind of process in turn, in an order that the seed determines.
 * @param sparesB whether replica b may no longer be stopped or killed
 */
export function* drawFaults(random: Random, sparesB: () => boolean): Generator<Plan, never> {
  for (;;) {
    for (const { target, harm } of random.shuffled(kindsOfFaults)) {
      // Make all draws, even unused ones, so that the same seed always gives the same sequence.
      const replica = random.pick(replicas)
      const lasts = keepsWaiting(harm) ? random.between(1_500, 5_000) : random.between(300, 2_000)
      const pause = random.between(200, 2_000)
      yield {
        target,
        harm,
        lasts,
        pause,
        replica: sparesB() && !keepsWaiting(harm) ? 'a' : replica,
      }
    }
  }
}

/** The longest allowed recovery, in milliseconds. */
const longestRecovery = 60_000

/**
 * Causes a fault, undoes it, and waits until the system has recovered.
 * @param isWell whether the gateways give correct answers to requests that need the target
 */
export async function doHarm(
  plan: Plan,
  world: World,
  isWell: (target: Target, replica: Replica) => Promise<boolean>,
): Promise<Fault> {
  const began = Date.now()
  if (plan.target === 'redis') await harmRedis(plan, world)
  else if (plan.target === 'way to redis' || plan.target === 'way to postgresql') await harmLink(plan, world)
  else if (plan.target === 'postgresql') await harmPostgres(plan, world)
  else await harmMember(plan, memberOf(world, plan))
  const over = Date.now()
  const recovery = await untilWell(() => isWell(plan.target, plan.replica), over)
  const ready = memberNames.has(plan.target)
    ? await untilWell(() => isReady(memberOf(world, plan)), over)
    : recovery
  return { ...plan, began, over, recovery, ready }
}

/** Whether a process reports that it is ready. */
export async function isReady({ internalPort }: Pick<Member, 'internalPort'>): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000)
  return fetch(`http://127.0.0.1:${internalPort}/ready`, { signal }).then(
    async (response) => {
      await response.body?.cancel()
      return response.ok
    },
    () => false,
  )
}

const memberNames: ReadonlySet<string> = new Set(serviceNames)

function memberOf({ members }: World, { target, replica }: Plan): Member {
  const found = members.find((member) => member.service === target && member.replica === replica)
  if (!found) throw new Error(`there is no ${target}-${replica}`)
  return found
}

async function harmMember({ harm, lasts }: Plan, member: Member): Promise<void> {
  if (harm === 'killed') member.kill('SIGKILL')
  else if (harm === 'stopped in order') {
    const { pid } = member
    member.kill('SIGTERM')
    for (let waited = 0; member.pid === pid && waited < 6_000; waited += 50) await sleep(50)
  } else {
    member.kill('SIGSTOP')
    await sleep(lasts)
    member.kill('SIGCONT')
  }
}

async function harmPostgres({ harm, lasts }: Plan, { postgres }: World): Promise<void> {
  const { pid } = postgres
  if (!pid) return
  if (harm === 'killed') process.kill(pid, 'SIGKILL')
  // SIGINT is PostgreSQL's fast shutdown. Its launcher starts it again.
  else if (harm === 'stopped in order') process.kill(pid, 'SIGINT')
  else {
    signalTree(pid, 'SIGSTOP')
    await sleep(lasts)
    signalTree(pid, 'SIGCONT')
  }
}

async function harmLink({ target, harm, lasts }: Plan, { links }: World): Promise<void> {
  const link = target === 'way to redis' ? links.redis : links.postgresql
  if (harm === 'partitioned') link.hold()
  else link.slow(lasts / 10)
  await sleep(lasts)
  link.release()
}

async function harmRedis({ harm, lasts }: Plan, { redis }: World): Promise<void> {
  if (harm === 'suspended') redis.suspend()
  else if (harm === 'killed') await redis.kill()
  else await redis.stop()
  await sleep(lasts)
  if (harm === 'suspended') redis.resume()
  else await redis.start().catch(() => undefined)
  // Redis reads its data first, which may take longer than the start waits.
  const answers = async () => {
    const lines: string[] = await redis.ask('PING').catch(() => [])
    return lines.includes('+PONG')
  }
  await untilWell(answers, Date.now())
}

async function untilWell(isWell: () => Promise<boolean>, since: number): Promise<number | undefined> {
  while (Date.now() - since < longestRecovery) {
    if (await isWell()) return Date.now() - since
    await sleep(50)
  }
  return undefined
}
