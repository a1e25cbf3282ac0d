import { setTimeout as sleep } from 'node:timers/promises'
import { type ServiceName, serviceNames } from '@gatehouse/local/services'
import { authorize, type CookieJar, logIn } from '@gatehouse/test/browser-login'
import { type Cluster, clusterAdmin, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { credentialsOf, issueToken, until, untilReady } from '@gatehouse/test/oauth'
import type { Exit } from '@gatehouse/test/replica'
import type { RegisteredClient } from '@gatehouse/test/system'
import { type Job, machineJobs, startTraffic, textOf } from '@gatehouse/test/traffic'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorizationRequest, pkce, registerApp } from '../e2e/login-people.ts'
import { codeFlowInTurn } from './in-turn.ts'

describe.skipIf(!hasClusters)('two replicas of every service', () => {
  let cluster: Cluster
  let jobs: Record<string, Job>
  beforeAll(async () => {
    const two = Object.fromEntries(serviceNames.map((name) => [name, 2]))
    cluster = await startCluster({ replicas: two, variables: { OAUTH2_EVENTS_ENABLED: 'true' } })
    await untilReady(cluster)
    const client = await cluster.register()
    const app = await registerApp(cluster)
    const jar = await logIn(cluster, clusterAdmin.username, clusterAdmin.password)
    jobs = {
      ...machineJobs(cluster, client, await issueToken(cluster, client)),
      code: () => codeFlow(cluster, jar, app),
      register: () => cluster.register(),
    }
  }, 180_000)
  afterAll(() => cluster?.stop())

  test('serve a login, a code and its tokens when each request is another gateway’s', async () => {
    const calls = () => Promise.all(used.map((replica) => replica.metric('actor_messages_total')))
    // Events go to one replica as long as it lives.
    const names = ['token', 'client-registry', 'identity'] as const
    const used = names.flatMap((name) => cluster.replicasOf(name))
    const before = await calls()
    for (let round = 0; round < 3; round += 1) await codeFlowInTurn(cluster, await registerApp(cluster))
    const served = (await calls()).map((count, index) => count - (before[index] as number))
    expect(used).toHaveLength(6)
    expect(served.filter((count) => count === 0)).toEqual([])
  })

  test('are all replaced, one after the other, and no request fails', { timeout: 180_000 }, async () => {
    const traffic = startTraffic(jobs, 8)
    try {
      await until(() => traffic.attempts.length > 100, 20_000)
      const began = performance.now()
      const before = serviceNames.flatMap((name) => cluster.replicasOf(name))
      // As `helm upgrade` does it: all Deployments at once.
      const exits = await Promise.all(serviceNames.map((name) => replaceAll(cluster, name)))
      expect(exits.flat()).toEqual(Array(10).fill({ code: 0, signal: null }))
      expect(before.filter(({ running }) => running)).toEqual([])
      await sleep(1_000)
      await traffic.settled()
      expect(traffic.failuresSince(0)).toEqual([])
      const done = new Set(traffic.since(began).map(({ job }) => job))
      expect(done).toEqual(new Set(Object.keys(jobs)))
    } finally {
      await traffic.stop()
    }
  })
})

/** Replaces the replicas of a service one by one: a new one serves before an old one ends. */
async function replaceAll(cluster: Cluster, name: ServiceName): Promise<Exit[]> {
  const exits: Exit[] = []
  for (const replica of cluster.replicasOf(name)) {
    await cluster.add(name)
    exits.push(await cluster.remove(replica, { stoppedAfter: 5_000 }))
  }
  return exits
}

/** A user who is logged in gets a token for an app. */
async function codeFlow(cluster: Cluster, jar: CookieJar, app: RegisteredClient): Promise<void> {
  const { verifier, challenge } = pkce()
  const answer = await authorize(cluster, jar, authorizationRequest(app, challenge))
  const form = {
    grant_type: 'authorization_code',
    code: answer.searchParams.get('code') ?? '',
    code_verifier: verifier,
    ...credentialsOf(app),
  }
  await textOf(cluster.form('/oauth/token', form))
}
