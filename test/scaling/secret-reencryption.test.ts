import { randomBytes, randomUUID } from 'node:crypto'
import { createEncryption } from '@gatehouse/kit/encryption'
import { type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { type Cluster, clusterAdmin, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { until, untilReady } from '@gatehouse/test/oauth'
import type { Replica } from '@gatehouse/test/replica'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { query } from '../e2e/logins/login-people.ts'
import { administer, newSecrets, withNext } from './secret-values.ts'

const [old, fresh] = [newSecrets(), newSecrets()]
const people = 12_000
const encryptionWith = (secret: string) =>
  createEncryption(secret, 'gatehouse: seeds of authenticator apps', randomBytes)
const [before, after] = [encryptionWith(old.OAUTH2_FACTOR_KEY), encryptionWith(fresh.OAUTH2_FACTOR_KEY)]

describe.skipIf(!hasClusters)('encrypting the seeds of many authenticator apps anew', () => {
  let cluster: Cluster
  let admin: CookieJar
  beforeAll(async () => {
    cluster = await startCluster({ variables: withNext(fresh, old), replicas: { gateway: 2 } })
    await untilReady(cluster)
    admin = await logIn(cluster, clusterAdmin.username, clusterAdmin.password)
    await goOn(undefined)
    const ids = Array.from({ length: people }, () => randomUUID())
    const seeds = ids.map((id) => before.encrypt(Buffer.from(`seed of ${id}`), id))
    await query(
      cluster,
      `with people as (
        insert into identity.users (id, username, is_admin) select id, id::text, false from unnest($1::uuid[]) id returning id
      )
      insert into identity.totp_factors (user_id, seed, last_step)
      select id, seed, 0 from unnest($1::uuid[], $2::bytea[]) apps (id, seed) where exists (select from people)`,
      [ids, seeds],
    )
  }, 180_000)
  afterAll(() => cluster?.stop())

  type Answer = { secrets: { rewritten: number; unreadable: number }[]; next?: string; status: number }
  async function begin(next?: string): Promise<Answer> {
    const response = await administer(cluster, admin, '/secrets/reencrypt', next ? { after: next } : {})
    return { ...((await response.json()) as Answer), status: response.status }
  }
  /** The first good answer: a process that has just started has not heard of the gateways yet. */
  async function goOn(next: string | undefined): Promise<Answer> {
    let answer: Answer | undefined
    await until(async () => {
      answer = await begin(next)
      return answer.status === 200
    }, 30_000)
    return answer as Answer
  }
  /** Goes through all of them. @returns how many were encrypted anew, and how many nothing decrypts */
  async function all(): Promise<{ rewritten: number; unreadable: number }> {
    const sum = { rewritten: 0, unreadable: 0 }
    let next: string | undefined
    do {
      const answer = await goOn(next)
      for (const { rewritten, unreadable } of answer.secrets) {
        sum.rewritten += rewritten
        sum.unreadable += unreadable
      }
      next = answer.next
    } while (next !== undefined)
    return sum
  }
  /** The number of seeds by the secret that decrypts them. */
  async function counts() {
    const rows = await query<{ id: string; seed: Buffer }>(
      cluster,
      'select user_id as id, seed from identity.totp_factors',
    )
    const found = { old: 0, fresh: 0 }
    for (const { id, seed } of rows) {
      const by = contentOf(after, seed, id) ? 'fresh' : 'old'
      expect(contentOf(by === 'fresh' ? after : before, seed, id)).toBe(`seed of ${id}`)
      found[by] += 1
    }
    return found
  }

  test('ends in the middle with its process, goes on with the next run, and twice at once', {
    timeout: 120_000,
  }, async () => {
    expect(await counts()).toEqual({ old: people, fresh: 0 })
    const killed = cluster.replicasOf('identity')[0] as Replica
    const begun = begin().catch((error: Error) => ({ status: 0, error }))
    const rewrittenRows = async () => {
      const [row] = await query<{ sum: number }>(
        cluster,
        "select coalesce(sum((after->>'rewritten')::int), 0)::int as sum from identity.audit_log where action = 'secret.reencrypt'",
      )
      return row?.sum ?? 0
    }
    await until(async () => (await rewrittenRows()) >= 1_000, 20_000)
    killed.kill('SIGKILL')
    await killed.ended
    expect((await begun).status).not.toBe(200)
    const middle = await counts()
    expect(middle.fresh).toBe(await rewrittenRows())
    expect(middle.fresh).toBeLessThan(people)

    await cluster.restart(killed)
    const sums = await Promise.all([all(), all()])
    expect(await counts()).toEqual({ old: 0, fresh: people })
    expect(await rewrittenRows()).toBe(people)
    expect(sums.map(({ unreadable }) => unreadable)).toEqual([0, 0])
    expect(await all()).toEqual({ rewritten: 0, unreadable: 0 })
  })

  test('a seed that nothing decrypts stays, and is counted', async () => {
    const [row] = await query<{ id: string }>(
      cluster,
      'select user_id as id from identity.totp_factors limit 1',
    )
    const lost = encryptionWith('a secret that is gone, of 32 bytes or more').encrypt(
      Buffer.from('lost'),
      row?.id ?? '',
    )
    await query(cluster, 'update identity.totp_factors set seed = $2 where user_id = $1', [row?.id, lost])
    expect(await all()).toEqual({ rewritten: 0, unreadable: 1 })
    const [kept] = await query<{ seed: Buffer }>(
      cluster,
      'select seed from identity.totp_factors where user_id = $1',
      [row?.id],
    )
    expect(kept?.seed).toEqual(lost)
  })
})

function contentOf(encryption: typeof before, seed: Buffer, id: string): string | undefined {
  try {
    return encryption.decrypt(seed, id).toString()
  } catch {
    return undefined
  }
}
