import { setTimeout as sleep } from 'node:timers/promises'
import { signalTree } from '@gatehouse/test/programs/signals'
import {
  type Fault,
  type FaultKind,
  type Harm,
  harms,
  type Plan,
  type Target,
  targets,
} from '../history/fault.ts'
import type { Replica } from '../history/replica.ts'
import type { Random } from '../random.ts'
import { hasClocks, longestJump } from './clocks.ts'
import { type Member, replicas, type World } from './world.ts'

const servers: readonly Target[] = ['postgresql', 'redis', 'nats']

/** Which harm can happen to what. No process connects to a gateway, and what has the data keeps its own clock. */
function isPossible(target: Target, harm: Harm): boolean {
  if (harm === 'clock jumped') return hasClocks && !servers.includes(target)
  if (harm === 'slowed' || harm === 'partitioned' || harm === 'cut off') return target !== 'gateway'
  return !(target === 'nats' && harm === 'stopped in order')
}

/** Every kind of fault. */
export const kinds: readonly FaultKind[] = targets.flatMap((target) =>
  harms.filter((harm) => isPossible(target, harm)).map((harm) => ({ target, harm })),
)

/**
 * Draws the faults: every kind in turn, in an order that the seed determines.
 * @param sparesB whether replica b may no longer be stopped or killed
 * @param first the kinds that happen before all others
 */
export function* drawFaults(
  random: Random,
  sparesB: () => boolean,
  first: readonly FaultKind[] = [],
): Generator<Plan, never> {
  for (let round = 0; ; round += 1) {
    for (const { target, harm } of [...(round === 0 ? first : []), ...random.shuffled(kinds)]) {
      // Make all draws, even unused ones, so that the same seed always gives the same sequence.
      const replica = random.pick(replicas)
      const lasts = random.between(1_000, 6_000)
      const share = random.chance(0.3) ? 1 : random.next() * 0.999
      const delay = random.between(50, 800)
      const jump = random.between(5_000, longestJump) * (random.chance(0.5) ? 1 : -1)
      const ends = harm === 'killed' || harm === 'stopped in order'
      yield {
        ...{ target, harm, lasts, share },
        shift: harm === 'clock jumped' ? jump : harm === 'slowed' ? delay : 0,
        replica: sparesB() && ends && !servers.includes(target) ? 'a' : replica,
      }
    }
  }
}

/** The place of a fault, such as `token-a`: it has only one fault at a time. */
export function placeOf({ target, replica }: Pick<Plan, 'target' | 'replica'>): string {
  return servers.includes(target) ? target : `${target}-${replica}`
}

/** The longest allowed recovery, in milliseconds; other faults happen meanwhile. */
const longestRecovery = 60_000

/**
 * Causes a fault, undoes it, and waits until the system has recovered.
 * @param isWell whether the gateways give correct answers to requests that need the target
 * @param now milliseconds since the start of the run
 */
export async function doHarm(
  plan: Plan,
  world: World,
  isWell: (target: Target, replica: Replica) => Promise<boolean>,
  now: () => number,
): Promise<Fault> {
  const began = now()
  await harm(plan, world)
  const over = now()
  const recovered = await untilSo(() => isWell(plan.target, plan.replica), now)
  const member = memberOf(world, plan)
  const ready = member ? await untilSo(() => isReady(member), now) : recovered
  return { ...plan, began, over, recovered, ready }
}

function harm(plan: Plan, world: World): Promise<void> {
  if (plan.harm === 'slowed' || plan.harm === 'partitioned' || plan.harm === 'cut off')
    return harmLinks(plan, world)
  if (plan.target === 'redis' || plan.target === 'nats') return harmServer(plan, world)
  if (plan.target === 'postgresql') return harmPostgres(plan, world)
  const member = memberOf(world, plan)
  if (!member) throw new Error(`there is no ${placeOf(plan)}`)
  return harmMember(plan, member, world)
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

function memberOf({ members }: World, { target, replica }: Plan): Member | undefined {
  return members.find((member) => member.service === target && member.replica === replica)
}

async function harmLinks({ harm, lasts, share, shift, ...plan }: Plan, { links }: World): Promise<void> {
  const found = links.filter(({ to }) => to === placeOf(plan))
  const concerned = share === 1 ? found : found.slice(Math.floor(share * found.length)).slice(0, 1)
  for (const { proxy } of concerned) {
    if (harm === 'slowed') proxy.slow(shift)
    else if (harm === 'partitioned') proxy.hold()
    else await proxy.cut()
  }
  await sleep(lasts)
  for (const { proxy } of concerned) await proxy.mend()
}

async function harmMember({ harm, lasts, shift }: Plan, member: Member, { clocks }: World): Promise<void> {
  if (harm === 'killed') member.kill('SIGKILL')
  else if (harm === 'stopped in order') {
    const { pid } = member
    member.kill('SIGTERM')
    for (let waited = 0; member.pid === pid && waited < 12_000; waited += 50) await sleep(50)
  } else if (harm === 'suspended') {
    member.kill('SIGSTOP')
    await sleep(lasts)
    member.kill('SIGCONT')
  } else {
    clocks.set(member.name, Math.round(shift))
    await sleep(lasts)
    clocks.set(member.name, 0)
    // The process looks at its clock's file once a second.
    await sleep(1_500)
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

async function harmServer({ target, harm, lasts }: Plan, { redis, nats }: World): Promise<void> {
  const server = target === 'redis' ? redis : nats
  if (harm === 'suspended') server.suspend()
  else if (harm === 'killed') await server.kill()
  else await redis.stop()
  await sleep(lasts)
  if (harm === 'suspended') server.resume()
  else await server.start().catch(() => undefined)
  if (target === 'nats') return
  // Redis reads its data first, which may take longer than the start waits.
  for (let waited = 0; waited < longestRecovery; waited += 50) {
    if ((await redis.ask('PING').catch(() => [''])).includes('+PONG')) return
    await sleep(50)
  }
}

/** @returns when it became so; undefined when it did not in time */
async function untilSo(isSo: () => Promise<boolean>, now: () => number): Promise<number | undefined> {
  const since = now()
  while (now() - since < longestRecovery) {
    if (await isSo()) return now()
    await sleep(100)
  }
  return undefined
}
