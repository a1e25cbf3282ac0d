import { serviceNames } from '@gatehouse/local/services'
import { type Cluster, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { untilReady } from '@gatehouse/test/oauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerApp } from '../e2e/login-people.ts'
import { codeFlowInTurn } from './in-turn.ts'

// That they are replaced under load, and no request fails, is tried by test/upgrade.

describe.skipIf(!hasClusters)('two replicas of every service', () => {
  let cluster: Cluster
  beforeAll(async () => {
    const two = Object.fromEntries(serviceNames.map((name) => [name, 2]))
    cluster = await startCluster({ replicas: two, variables: { OAUTH2_EVENTS_ENABLED: 'true' } })
    await untilReady(cluster)
  }, 180_000)
  afterAll(() => cluster?.stop())

  test('serve a login, a code and its tokens when each request goes to another gateway', async () => {
    const calls = () => Promise.all(used.map((replica) => replica.metric('actor_messages_total')))
    // Events go to the same replica for as long as it runs.
    const names = ['token', 'client-registry', 'identity'] as const
    const used = names.flatMap((name) => cluster.replicasOf(name))
    const before = await calls()
    for (let round = 0; round < 3; round += 1) await codeFlowInTurn(cluster, await registerApp(cluster))
    const served = (await calls()).map((count, index) => count - (before[index] as number))
    expect(used).toHaveLength(6)
    expect(served.filter((count) => count === 0)).toEqual([])
  })
})
