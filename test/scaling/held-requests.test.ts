import { addressVariables } from '@gatehouse/local/services'
import { cookieHeader, logIn } from '@gatehouse/test/browser/browser-login'
import { type Cluster, clusterAdmin, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { issueToken, until, untilReady } from '@gatehouse/test/oauth'
import { type Replica, replicaPorts } from '@gatehouse/test/replica'
import { startTcpProxy, type TcpProxy } from '@gatehouse/test/servers/tcp-proxy'
import type { RegisteredClient } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

describe.skipIf(!hasClusters)('while the network between a gateway and identity loses packets,', () => {
  let cluster: Cluster
  let network: TcpProxy
  /** The gateway on the other side of that network, and one that is not concerned. */
  let beyond: Replica
  let near: Replica
  let identity: Replica
  let authorization: string
  beforeAll(async () => {
    cluster = await startCluster()
    await untilReady(cluster)
    near = cluster.replicasOf('gateway')[0] as Replica
    identity = cluster.replicasOf('identity')[0] as Replica
    network = await startTcpProxy(identity.address, replicaPorts.grpc)
    const { OAUTH2_IDENTITY_ADDR: address = '' } = addressVariables(() => `127.0.0.1:${network.port}`)
    // A client authenticates, because a session would be looked up at identity.
    const jar = await logIn(cluster, clusterAdmin.username, clusterAdmin.password)
    const session = { cookie: cookieHeader(jar), 'sec-fetch-site': 'same-origin' }
    const metadata = { client_name: 'Operator', grant_types: ['client_credentials'], scope: 'admin' }
    const headers = { ...session, origin: new URL(cluster.baseUrl).origin }
    const created = await cluster.json('/admin/api/clients', metadata, headers)
    authorization = `Bearer ${await issueToken(cluster, (await created.json()) as RegisteredClient)}`
    beyond = await cluster.add('gateway', { variables: { OAUTH2_IDENTITY_ADDR: address } })
  }, 180_000)
  afterAll(async () => {
    await cluster?.stop()
    await network?.close()
  })

  async function ask<Body>(gateway: Replica, method: string, path: string, body?: object) {
    const response = await fetch(`http://${gateway.address}:${replicaPorts.http}/admin/api/${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }

  /** How many changes of users identity has rolled back. */
  async function rolledBack(): Promise<number> {
    const text = await (await fetch(`http://${identity.address}:${replicaPorts.internal}/metrics`)).text()
    const pattern =
      /actor_messages_total\{[^}]*message="UpdateUser",outcome="temporarily_unavailable"[^}]*\} (\d+)/
    return Number(pattern.exec(text)?.[1] ?? 0)
  }

  test('a change that was answered 503 does not happen when it arrives after all', async () => {
    const person = { username: 'ann', password: 'a password of the tests' }
    const created = await ask<{ user_id: string }>(near, 'POST', 'users', person)
    const user = `users/${created.body.user_id}`
    expect(await ask(beyond, 'PATCH', user, { disabled: false })).toMatchObject({ status: 200 })

    network.hold()
    expect(await ask(beyond, 'PATCH', user, { disabled: true })).toMatchObject({ status: 503 })
    expect(await ask(near, 'PATCH', user, { disabled: false })).toMatchObject({ status: 200 })
    await network.mend()
    await until(async () => (await rolledBack()) > 0, 10_000)
    expect((await ask<{ disabled: boolean }>(near, 'GET', user)).body.disabled).toBe(false)
    const audit = await ask<{ items: { action: string }[] }>(
      near,
      'GET',
      `audit?target=${created.body.user_id}`,
    )
    expect(audit.body.items.map(({ action }) => action)).toEqual(['user.create'])
  }, 60_000)
})
