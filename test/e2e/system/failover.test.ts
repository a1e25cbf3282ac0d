import { setTimeout as sleep } from 'node:timers/promises'
import { createElection } from '@gatehouse/data/election'
import { credentialsOf, introspectionOf, issueToken, until, untilReady } from '@gatehouse/test/oauth'
import {
  canReplicate,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '@gatehouse/test/postgres/replicated'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

describe.skipIf(!canReplicate)('a fail-over under load', () => {
  let postgres: ReplicatedPostgres
  let system: TestSystem
  let client: RegisteredClient
  beforeAll(async () => {
    postgres = await startReplicatedPostgres()
    const hosts = `${postgres.standby.address},${postgres.primary.address}`
    const url = `postgresql://postgres@${hosts}/postgres?target_session_attrs=read-write`
    system = await startTestSystem({ OAUTH2_DATABASE_URL: url })
    await untilReady(system)
    client = await system.register()
  })
  afterAll(async () => {
    await system?.stop()
    await postgres?.[Symbol.asyncDispose]()
  })

  test('loses no token that was answered, undoes no revocation, and answers nothing but 503 meanwhile', async () => {
    const pids = system.processes.map(({ pid }) => pid)
    const load = startLoad(system, client)
    await until(() => load.issued.size > 100 && load.revoked.size > 20, 20_000)

    const standby = new Pool({ connectionString: postgres.standby.url, max: 1 })
    expect(await createElection({ pool: standby, sessions: standby }, 'token maintenance').isElected()).toBe(
      false,
    )
    await standby.end()

    const crashed = performance.now()
    await postgres.primary.crash()
    await postgres.promote()
    const promoted = performance.now()
    await until(() => load.lastIssued > promoted, 30_000)
    const answered = performance.now()
    await sleep(500)
    await load.stop()

    const [promotion, wait] = [promoted - crashed, answered - promoted].map(Math.round)
    console.log(`the promotion took ${promotion} ms, and the first token came ${wait} ms later`)
    expect(load.refused).toBeGreaterThan(0)
    expect(load.unexpected).toEqual([])
    expect(system.processes.map(({ pid }) => pid)).toEqual(pids)
    for (const token of load.revoked) expect(await introspectionOf(system, token)).toBe('{"active":false}')
    const kept = [...load.issued].filter((token) => !load.asked.has(token))
    for (const token of kept) expect(JSON.parse(await introspectionOf(system, token)).active).toBe(true)
    expect(JSON.parse(await introspectionOf(system, await issueToken(system, client))).active).toBe(true)
    await untilReady(system)
  })
})

/** Callers who get tokens and revoke every fourth. */
function startLoad(system: TestSystem, client: RegisteredClient) {
  const load = {
    /** The tokens that were answered. */
    issued: new Set<string>(),
    /** The tokens whose revocation was asked for; without an answer it may have happened or not. */
    asked: new Set<string>(),
    /** The tokens whose revocation was answered. */
    revoked: new Set<string>(),
    refused: 0,
    unexpected: [] as string[],
    lastIssued: 0,
    async stop() {
      stopped = true
      await Promise.all(callers)
    },
  }
  let stopped = false

  async function ask(path: string, parameters: Record<string, string>): Promise<string | undefined> {
    const answer = await system.form(path, { ...parameters, ...credentialsOf(client) })
    const text = await answer.text()
    if (answer.status === 200) return text
    if (answer.status !== 503) load.unexpected.push(`${answer.status} ${text}`)
    load.refused++
    await sleep(20)
    return undefined
  }

  async function call(): Promise<void> {
    for (let round = 0; !stopped; round++) {
      const text = await ask('/oauth/token', { grant_type: 'client_credentials' })
      if (text === undefined) continue
      const token = JSON.parse(text).access_token as string
      load.issued.add(token)
      load.lastIssued = performance.now()
      if (round % 4 !== 0) continue
      load.asked.add(token)
      if ((await ask('/oauth/revoke', { token })) !== undefined) load.revoked.add(token)
    }
  }

  const callers = Array.from({ length: 6 }, call)
  return load
}
