import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { issueToken, until, untilReady } from '@gatehouse/test/oauth'
import type { Replica } from '@gatehouse/test/replica'
import { type RegisteredClient, requestsTo } from '@gatehouse/test/system'
import { machineJobs, startTraffic, type Traffic } from '@gatehouse/test/traffic'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectPolite, gatewayUrl, issuedBy, sharesWithin } from './shares.ts'

const callers = 24
const tokenName = 'token.gatehouse.test'

describe.skipIf(!hasClusters)('replicas of the token service behind one name', () => {
  let cluster: Cluster
  let client: RegisteredClient
  let token: string
  let retrying: Replica
  let jobs: ReturnType<typeof machineJobs>
  /** Sends requests to a gateway with the defaults. */
  let traffic: Traffic
  beforeAll(async () => {
    cluster = await startCluster({ replicas: { token: 3 } })
    const plain = requestsTo(gatewayUrl(cluster.replicasOf('gateway')[0] as Replica))
    retrying = await cluster.add('gateway', { variables: { OAUTH2_RESILIENCE_ENABLED: 'true' } })
    await untilReady(plain)
    client = await plain.register()
    token = await issueToken(plain, client)
    jobs = machineJobs(plain, client, token)
    const { issue, introspect } = jobs
    // Different numbers of both kinds: if they alternated, two replicas could share them badly without the test noticing.
    traffic = startTraffic({ issue, another: issue, introspect }, callers)
    await until(() => traffic.attempts.length > 500, 30_000)
  }, 180_000)
  afterAll(async () => {
    await traffic?.stop()
    await cluster?.stop()
  })

  test('share a steady load within 10 % of evenly', { timeout: 170_000 }, async () => {
    const replicas = cluster.replicasOf('token')
    const before = await issuedBy(replicas)
    const from = traffic.attempts.length
    const issued = async () =>
      (await issuedBy(replicas)).map((count, index) => count - (before[index] as number))
    // Requests travel in calls of different sizes, so chance makes shares uneven at first, and what is really uneven stays so.
    const isEven = async () => {
      if (traffic.attempts.length - from < 6_000) return false
      const counts = await issued()
      const even = counts.reduce((sum, count) => sum + count) / counts.length
      return even > 1_000 && counts.every((count) => Math.abs(count / even - 1) < 0.1)
    }
    await until(isEven, 150_000).catch(async () => expect.unreachable(`uneven: ${await issued()}`))
    expect(traffic.failuresSince(0)).toEqual([])
  })

  test('that are added get at least half of an even share within 40 s, and no request fails', {
    timeout: 90_000,
  }, async () => {
    const began = performance.now()
    const added = await Promise.all([cluster.add('token'), cluster.add('token')])
    await sharesWithin(40_000, cluster.replicasOf('token'), added, 0.5)
    expect(traffic.failuresSince(began)).toEqual([])
  })

  test('that are removed fail no request, whether they leave the DNS name before or after', {
    timeout: 60_000,
  }, async () => {
    const restless = startTraffic(jobs, 8, 0)
    try {
      await until(() => restless.attempts.length > 50, 20_000)
      const [first, second] = cluster.replicasOf('token').slice(-2) as [Replica, Replica]
      const exits = await Promise.all([
        // Like the chart, whose preStop hook waits 5 s.
        cluster.remove(first, { stoppedAfter: 5_000 }),
        // The replica stops while clients still have its name cached.
        cluster.remove(second, { forgottenAfter: 3_000 }),
      ])
      expect(exits).toEqual(Array(2).fill({ code: 0, signal: null }))
      await sleep(1_000)
    } finally {
      await restless.stop()
    }
    expect(restless.failuresSince(0)).toEqual([])
    expect(restless.attempts.length).toBeGreaterThan(100)
  })

  test('fail only the calls under way when one of them is killed, and none with a retrying gateway', {
    timeout: 60_000,
  }, async () => {
    const { issue, introspect } = machineJobs(requestsTo(gatewayUrl(retrying)), client, token)
    const retried = startTraffic({ issue, introspect }, 8, 0)
    try {
      await until(() => retried.attempts.length > 200, 20_000)
      const [victim] = cluster.replicasOf('token') as [Replica]
      const killed = performance.now()
      victim.kill('SIGKILL')
      // The replica stays in the DNS name, and must not cause repeated lookups: each process looks the name up every three seconds, and
      // once more when it loses a replica, whatever number of channels it has.
      const queries = cluster.dns.queriesOf(tokenName)
      await sleep(4_000)
      await Promise.all([traffic.settled(), retried.settled()])
      expect(cluster.dns.addressesOf(tokenName)).toContain(victim.address)
      expect(cluster.dns.queriesOf(tokenName) - queries).toBeLessThan(10)
      const failures = traffic.failuresSince(killed - 5_000)
      expect(failures.length).toBeLessThanOrEqual(callers)
      expectPolite(failures)
      expect(traffic.failuresSince(killed + 2_000)).toEqual([])
      expect(retried.failuresSince(0)).toEqual([])
      expect(traffic.since(killed + 2_000).length).toBeGreaterThan(50)

      const restarted = await cluster.restart(victim)
      await sharesWithin(15_000, cluster.replicasOf('token'), [restarted], 0.5)
      expect([...traffic.failuresSince(killed + 2_000), ...retried.failuresSince(0)]).toEqual([])
    } finally {
      await retried.stop()
    }
  })
})
