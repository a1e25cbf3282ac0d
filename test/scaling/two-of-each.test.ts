import { randomUUID } from 'node:crypto'
import { serviceNames } from '@gatehouse/local/services'
import { cookieHeader, logIn } from '@gatehouse/test/browser/browser-login'
import { type Cluster, clusterAdmin, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { untilReady } from '@gatehouse/test/oauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerApp } from '../e2e/logins/login-people.ts'
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

  test('of a user and a client who get one name at once, on different replicas, at most one exists', async () => {
    const jar = await logIn(cluster, clusterAdmin.username, clusterAdmin.password)
    const headers = {
      ...{
        cookie: cookieHeader(jar),
        origin: new URL(cluster.baseUrl).origin,
        'sec-fetch-site': 'same-origin',
      },
      // A new connection for each request, so it goes to the next gateway.
      ...{ 'content-type': 'application/json', connection: 'close' },
    }
    for (let round = 0; round < 10; round += 1) {
      const name = `one-name-${randomUUID()}`
      const client = { client_id: name, client_name: 'x', grant_types: ['client_credentials'], scope: 'read' }
      const user = { username: name.toUpperCase(), password: 'a long new password' }
      const answers = await Promise.all([
        cluster.request('/admin/api/clients', { method: 'POST', headers, body: JSON.stringify(client) }),
        cluster.request('/admin/api/users', { method: 'POST', headers, body: JSON.stringify(user) }),
      ])
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 201).length, statuses.join()).toBeLessThan(2)
      expect(statuses.filter((status) => status !== 201 && status !== 400)).toEqual([])
    }
  })
})
