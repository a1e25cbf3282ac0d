import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { serviceNames } from '@gatehouse/local/services'
import { type Cluster, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { introspectionOf, issueToken } from '@gatehouse/test/oauth'
import { checkOutLastRelease } from '@gatehouse/test/release'
import type { Job, JobAttempt } from '@gatehouse/test/traffic'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mixedJobs, replaceUnderLoad } from '../scaling/mixed-load.ts'

const release = hasClusters ? await checkOutLastRelease() : undefined
const root = release?.root ?? ''

function expectGood(attempts: readonly JobAttempt[]): void {
  expect(attempts.filter(({ status }) => status !== 200)).toEqual([])
}

describe.skipIf(release === undefined)('the last release, on the tables of this one', () => {
  let cluster: Cluster
  let jobs: Record<string, Job>
  let kept: string
  beforeAll(async () => {
    const two = Object.fromEntries(serviceNames.map((name) => [name, 2]))
    const variables = { OAUTH2_EVENTS_ENABLED: 'true', OAUTH2_RESILIENCE_ENABLED: 'true' }
    cluster = await startCluster({ replicas: two, variables, root })
    jobs = await mixedJobs(cluster)
    kept = await issueToken(cluster, await cluster.register())
  }, 180_000)
  afterAll(() => cluster?.stop())

  const running = () =>
    new Set(serviceNames.flatMap((name) => cluster.replicasOf(name)).map(({ options }) => options.root))

  test('is replaced by this one under load, process by process', { timeout: 180_000 }, async () => {
    expect(running()).toEqual(new Set([root]))
    expectGood(await replaceUnderLoad(cluster, jobs, { root: rootDirectory }))
    expect(running()).toEqual(new Set([rootDirectory]))
    expect(JSON.parse(await introspectionOf(cluster, kept)).active).toBe(true)
  })

  test('takes over again, as after `helm rollback`', { timeout: 180_000 }, async () => {
    const later = await issueToken(cluster, await cluster.register())
    expectGood(await replaceUnderLoad(cluster, jobs, { root }))
    expect(running()).toEqual(new Set([root]))
    for (const token of [kept, later])
      expect(JSON.parse(await introspectionOf(cluster, token)).active).toBe(true)
  })
})

test.skipIf(release === undefined)('no released migration is missing or changed', () => {
  const migrationsOf = (directory: string) => {
    const all = join(directory, 'prisma/migrations')
    const names = readdirSync(all).filter((name) => /^\d/.test(name))
    return names.sort().map((name) => [name, readFileSync(join(all, name, 'migration.sql'), 'utf8')])
  }
  const released = migrationsOf(root)
  expect(released.length).toBeGreaterThan(0)
  expect(migrationsOf(rootDirectory).slice(0, released.length)).toEqual(released)
})
