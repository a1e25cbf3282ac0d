import { rootDirectory } from '@gatehouse/local/places'
import { type Cluster, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { issueToken, until, untilReady } from '@gatehouse/test/oauth'
import { checkOutLastRelease } from '@gatehouse/test/release'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const release = hasClusters ? await checkOutLastRelease() : undefined
const root = release?.root ?? ''

describe.skipIf(release === undefined)('token services of both releases', { timeout: 120_000 }, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ variables: { OAUTH2_EVENTS_ENABLED: 'true' }, root })
    await cluster.add('token', { root: rootDirectory })
    await untilReady(cluster)
  }, 120_000)
  afterAll(() => cluster?.stop())

  /** Issues tokens with both releases, and expects two events for each token. */
  async function expectAllEvents(): Promise<void> {
    const [events] = cluster.replicasOf('events')
    const delivered = async () => (await events?.metric('events_published_total')) ?? 0
    const client = await cluster.register()
    await until(async () => (await delivered()) > 0, 10_000)
    const before = await delivered()
    for (let tokens = 0; tokens < 20; tokens += 1) await issueToken(cluster, client)
    await until(async () => (await delivered()) >= before + 40, 10_000)
    expect(await delivered()).toBe(before + 40)
  }

  test('lose no event at the events service of the last release', async () => {
    await expectAllEvents()
  })

  test('lose no event at the events service of this release', async () => {
    const [released] = cluster.replicasOf('events')
    if (released === undefined) return expect.unreachable('there is one')
    await cluster.add('events', { root: rootDirectory })
    await cluster.remove(released, { stoppedAfter: 5_000 })
    await expectAllEvents()
  })
})
