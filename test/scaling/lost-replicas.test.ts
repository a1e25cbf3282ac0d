import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { issueToken, until, untilReady } from '@gatehouse/test/oauth'
import {
  createNetworkNamespace,
  hasNetworkNamespaces,
  type NetworkNamespace,
} from '@gatehouse/test/programs/network-namespace'
import { type Replica, replicaPorts } from '@gatehouse/test/replica'
import { startTcpProxy } from '@gatehouse/test/servers/tcp-proxy'
import { machineJobs, startTraffic, type Traffic } from '@gatehouse/test/traffic'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectPolite, sharesWithin } from './shares.ts'

const callers = 16
/** How long an answer may take, and so how long requests may go to a replica that does not answer, in milliseconds. */
const deadline = 5_000
/** How long a recovered replica may take to reach the services that it needs, in milliseconds. */
const recovery = 3_000
/** How late a timer may be on a busy machine. */
const lateness = 1_000

describe.skipIf(!hasClusters)('a replica of the token service, one of several,', () => {
  let cluster: Cluster
  let traffic: Traffic
  let replicas: Replica[]
  let apart: Apart | undefined
  beforeAll(async () => {
    // The gateway starts last, so that it knows all replicas from the beginning.
    cluster = await startCluster({ replicas: { token: 3, gateway: 0 } })
    if (hasNetworkNamespaces) apart = await addApart(cluster)
    replicas = cluster.replicasOf('token')
    await cluster.add('gateway')
    await untilReady(cluster)
    const client = await cluster.register()
    const { issue, introspect } = machineJobs(cluster, client, await issueToken(cluster, client))
    traffic = startTraffic({ issue, introspect }, callers)
    await until(() => traffic.attempts.length > 300, 30_000)
  }, 180_000)
  afterAll(async () => {
    await traffic?.stop()
    await apart?.close()
    await cluster?.stop()
  })

  /** Breaks a replica that has its share of the load, and expects that it gets no requests in time, and its share again after it recovers. */
  async function expectLeft(
    replica: Replica,
    harm: () => Promise<void> | void,
    heal: () => Promise<void> | void,
  ) {
    await sharesWithin(40_000, replicas, replicas, 0.5)
    const began = performance.now()
    await harm()
    await sleep(deadline + lateness + 3_000).finally(heal)
    const healed = performance.now()
    await traffic.settled()
    const during = traffic.since(began - deadline)
    expect(during.filter(({ took }) => took > deadline + lateness)).toEqual([])
    expectPolite(traffic.failuresSince(began - deadline))
    // Later requests are answered quickly.
    const later = traffic.since(began + deadline + lateness).filter(({ at }) => at < healed)
    expect(later.length).toBeGreaterThan(50)
    expect(later.filter(({ status, took }) => status !== 200 || took > 2_000)).toEqual([])

    await sharesWithin(40_000, replicas, [replica], 0.5)
    // Clients find it before it has found the client registry again, so it may answer 503.
    expectPolite(traffic.failuresSince(healed))
    expect(traffic.failuresSince(healed + recovery)).toEqual([])
  }

  test('that hangs gets no requests after the deadline, and is used again when it continues', {
    timeout: 120_000,
  }, () => {
    const [replica] = replicas as [Replica]
    return expectLeft(
      replica,
      () => replica.kill('SIGSTOP'),
      () => replica.kill('SIGCONT'),
    )
  })

  test.skipIf(!hasNetworkNamespaces)(
    'whose packets are all lost is left within the deadline, and used again when they arrive',
    { timeout: 120_000 },
    () => {
      const { replica, namespace } = apart as Apart
      return expectLeft(replica, namespace.cut, namespace.heal)
    },
  )
})

/** A replica in its own network namespace. */
type Apart = { replica: Replica; namespace: NetworkNamespace; close(): Promise<void> }

async function addApart(cluster: Cluster): Promise<Apart> {
  const opened = new AsyncDisposableStack()
  const namespace = await createNetworkNamespace()
  opened.defer(namespace.close)
  // The services that it needs listen on 127.0.0.0/8, which is a different network inside.
  const reach = async (host: string, port: number) => {
    const proxy = await startTcpProxy(host, port, namespace.hostAddress)
    opened.defer(proxy.close)
    return `${namespace.hostAddress}:${proxy.port}`
  }
  const service = (name: Replica['name']) =>
    reach((cluster.replicasOf(name)[0] as Replica).address, replicaPorts.grpc)
  try {
    const database = new URL(cluster.databaseUrl)
    database.host = await reach(database.hostname, Number(database.port))
    const replica = await cluster.add('token', {
      address: namespace.address,
      within: namespace.within,
      variables: {
        OAUTH2_DATABASE_URL: database.href,
        OAUTH2_CLIENT_REGISTRY_ADDR: await service('client-registry'),
        OAUTH2_IDENTITY_ADDR: await service('identity'),
        OAUTH2_EVENTS_ADDR: await service('events'),
      },
    })
    opened.defer(async () => {
      replica.kill('SIGKILL')
      await replica.ended
    })
    return { replica, namespace, close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
