import { setTimeout as sleep } from 'node:timers/promises'
import { browse, logIn } from '@gatehouse/test/browser/browser-login'
import { type Cluster, clusterAdmin, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { expectRefusal, until, untilReady } from '@gatehouse/test/oauth'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import type { Replica } from '@gatehouse/test/replica'
import { type Job, startTraffic } from '@gatehouse/test/traffic'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { query } from '../e2e/logins/login-people.ts'
import { mixedJobs, replaceUnderLoad } from './mixed-load.ts'
import {
  administer,
  holders,
  type Lasting,
  logInWithApp,
  makeValues,
  newSecrets,
  type Passing,
  refreshed,
  rejected,
  restartWith,
  usedUp,
  withNext,
} from './secret-values.ts'

const [old, fresh] = [newSecrets(), newSecrets()]
const [announced, swapped] = [withNext(old, fresh), withNext(fresh, old)]
const isPositive = (count: number) => count > 0
const accepted = { code: true, codes: true, consent: 303, proof: 303, enrolled: 303 }

type Secret = { variable: string; changing: boolean; rewritten: number; other_needed_until?: string }

describe.skipIf(!hasClusters)('the secrets, while they are changed in three steps', () => {
  let cluster: Cluster
  let values: Lasting & Passing
  let second: Lasting & Passing
  const { gatehouse, json } = gatehouseCommand(() => ({
    GATEHOUSE_URL: cluster.baseUrl,
    GATEHOUSE_USERNAME: clusterAdmin.username,
    GATEHOUSE_PASSWORD: clusterAdmin.password,
  }))
  beforeAll(async () => {
    cluster = await startCluster({
      variables: {
        ...{ OAUTH2_OPENID_ENABLED: 'true', OAUTH2_ACCESS_TOKEN_ALGORITHM: 'HS256' },
        ...{
          OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
          OAUTH2_SCOPES_SUPPORTED: 'read write profile email openid',
        },
        ...old,
      },
    })
    await untilReady(cluster)
    values = await makeValues(cluster)
  }, 180_000)
  afterAll(() => cluster?.stop())

  /** The jobs of callers to whom nothing may happen. */
  async function jobs(of: Lasting): Promise<Record<string, Job>> {
    return {
      ...(await mixedJobs(cluster)),
      async session() {
        const answers = await Promise.all(of.jars.map((jar) => browse(cluster, new Map(jar), '/account')))
        expect(answers.map(({ status }) => status)).toEqual(of.jars.map(() => 200))
      },
      login: () => logIn(cluster, clusterAdmin.username, clusterAdmin.password),
    }
  }

  test('every replica gets …_NEXT under load, and nothing fails or ends', { timeout: 120_000 }, async () => {
    const attempts = await replaceUnderLoad(cluster, await jobs(values), { variables: announced })
    expect(attempts.filter(({ status }) => status !== 200)).toEqual([])
    expect(await rejected(cluster, values)).toEqual([])
  })

  test('replicas of both kinds understand each other under load, and the way back is open', {
    timeout: 180_000,
  }, async () => {
    const added: Replica[] = await Promise.all(
      holders.map((name) => cluster.add(name, { variables: swapped })),
    )
    const traffic = startTraffic(await jobs(values), 4)
    try {
      await until(() => traffic.attempts.length > 150, 60_000)
      // Values that either kind of replica made.
      second = await makeValues(cluster)
      const admin = await logIn(cluster, clusterAdmin.username, clusterAdmin.password)
      const refused = await administer(cluster, admin, '/secrets/reencrypt', {})
      expect(await expectRefusal(refused, 409, 'secrets_differ')).toMatch(
        /^\S+ and \S+ \(token\) have different values of OAUTH2_JWT_SECRET: wait until every replica has the new one\.$/,
      )
      const command = await gatehouse(['secrets', 'reencrypt'])
      expect([command.code, command.err]).toEqual([1, expect.stringContaining('have different values of')])
      for (const one of [values, second]) expect(await rejected(cluster, one)).toEqual([])

      // A refresh that is sent again, to whatever replica, gives the same successor each time.
      for (let round = 0; round < 10; round += 1) {
        const again = Array.from({ length: 6 }, () => refreshed(cluster, values.app, values.refreshToken))
        const successors = new Set(await Promise.all(again))
        expect([round, successors.size]).toEqual([round, 1])
        values.refreshToken = [...successors][0] ?? ''
      }

      await Promise.all(added.map((replica) => cluster.remove(replica, { stoppedAfter: 4_000 })))
      for (const one of [values, second]) expect(await rejected(cluster, one)).toEqual([])
      expect(await usedUp(cluster, second)).toEqual(accepted)
      await traffic.settled()
      expect(traffic.failuresSince(0)).toEqual([])
    } finally {
      await traffic.stop()
    }
  })

  test('the secrets are swapped under load, and every value goes on', { timeout: 180_000 }, async () => {
    const attempts = await replaceUnderLoad(cluster, await jobs(values), { variables: swapped })
    expect(attempts.filter(({ status }) => status !== 200)).toEqual([])
    for (const one of [values, second]) expect(await rejected(cluster, one)).toEqual([])
    expect(await usedUp(cluster, values)).toEqual(accepted)
  })

  test('stored contents are encrypted anew once no replica has the old value, and again there is nothing to do', {
    timeout: 120_000,
  }, async () => {
    const before = await stored()
    // The gateways that have ended are noted for some seconds more.
    let done: Secret[] = []
    await until(async () => {
      const { code, out } = await gatehouse(['secrets', 'reencrypt', '--json'])
      if (code === 0) done = JSON.parse(out).secrets
      return code === 0
    }, 60_000)
    const unchanged = (await stored()).filter((content) => before.includes(content))
    const rewritten = done.map((secret) => secret.rewritten)
    // The others were made by replicas that had the new ones already.
    expect(before.length - unchanged.length).toBe(rewritten.reduce((sum, count) => sum + count))
    expect(rewritten).toEqual([expect.toSatisfy(isPositive), expect.toSatisfy(isPositive), 0])

    const { secrets }: { secrets: Secret[] } = await json('secrets', 'reencrypt')
    expect(secrets.map(({ variable, changing, rewritten }) => [variable, changing, rewritten])).toEqual([
      ['OAUTH2_JWT_SECRET', true, 0],
      ['OAUTH2_FACTOR_KEY', true, 0],
      ['OAUTH2_SESSION_KEY', true, 0],
    ])
    for (const { other_needed_until: until } of secrets)
      expect(Date.parse(`${until}`)).toBeGreaterThan(Date.now())
    const { out } = await gatehouse(['secrets', 'reencrypt'])
    expect(out).toMatch(
      /^OAUTH2_JWT_SECRET: 0 of \d+ stored contents encrypted anew\. Keep OAUTH2_JWT_SECRET_NEXT until/,
    )
    const entries = await query(
      cluster,
      "select after from token.audit_log where action = 'secret.reencrypt'",
    )
    expect(entries).toContainEqual({ after: expect.objectContaining({ unreadable: 0 }) })
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(Object.values({ ...old, ...fresh }).join('|')))
  })

  test('the old secrets go: what was made or encrypted since lasts', { timeout: 180_000 }, async () => {
    const newer = await makeValues(cluster)
    const attempts = await replaceUnderLoad(cluster, await jobs(newer), { variables: fresh })
    expect(attempts.filter(({ status }) => status !== 200)).toEqual([])
    expect(await rejected(cluster, newer)).toEqual([])
    // Only what was said to need the old one: the key pairs and the seeds are there, and refresh tokens are no signatures.
    expect(new Set(await rejected(cluster, values))).toEqual(new Set(['access token', 'session']))
    expect(await logInWithApp(cluster, values)).toBe(303)
    expect(await usedUp(cluster, newer)).toEqual(accepted)
  })

  test('a change without …_NEXT ends everything that depends on the secrets', {
    timeout: 120_000,
  }, async () => {
    const ended = await makeValues(cluster)
    await restartWith(cluster, newSecrets())
    await sleep(1_000)
    const wrong = ['access token', 'access token', 'access token', 'session', 'session', 'ID token']
    expect(await rejected(cluster, ended)).toEqual(wrong)
    expect(await logInWithApp(cluster, ended)).not.toBe(303)
  })

  /** All contents that are encrypted. */
  async function stored(): Promise<string[]> {
    const rows = await query<{ content: string }>(
      cluster,
      `select encode(encrypted_key, 'hex') as content from token.signing_key_pairs
      union all select encode(seed, 'hex') from identity.totp_factors`,
    )
    return rows.map(({ content }) => content)
  }
})
