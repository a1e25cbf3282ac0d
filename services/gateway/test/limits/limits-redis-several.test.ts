import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { program } from '@gatehouse/test/programs/programs'
import {
  type CertificateAuthority,
  type CertificateFiles,
  createCertificateAuthority,
} from '@gatehouse/test/servers/certificates'
import { hasRedis, type TestRedis } from '@gatehouse/test/servers/redis'
import { startCluster, startSentinel } from '@gatehouse/test/servers/redis-several'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOverLimits } from '../../src/limits/over-limits.ts'
import { shareOverLimits } from '../../src/limits/shared-over-limits.ts'
import { back, connected, lost, type openLimiter, untilCounting } from './redis-limiter.ts'

const openssl = await program('openssl')

/** Gives the documented rights to a user of a server. */
async function addUser(node: TestRedis): Promise<void> {
  const page = readFileSync(new URL('../../../../docs/operate/redis.md', import.meta.url), 'utf8')
  const [rights = ''] = /^ACL SETUSER .*$/m.exec(page) ?? []
  expect(await node.ask(rights.replace('>PASSWORD', '>secret'))).toEqual(['+OK'])
}

/** Counts as many requests of different callers at once, and returns those whose count is wrong. */
async function countFirst({ limiter }: ReturnType<typeof openLimiter>, name: string, callers = 50) {
  const counted = Array.from({ length: callers }, (_, index) => limiter.count('token', `${name}-${index}`))
  return (await Promise.all(counted)).filter(({ remaining }) => remaining !== 19)
}

/** Counts requests until a failover is over. @returns how long the longest took, in milliseconds, and how many there were */
async function countThrough(opened: ReturnType<typeof openLimiter>, node: TestRedis): Promise<number> {
  let longest = 0
  let over = false
  const counting = (async () => {
    for (let index = 0; !over; index++) {
      const begin = performance.now()
      await opened.limiter.count('other', `through-${index}`)
      longest = Math.max(longest, performance.now() - begin)
      await sleep(5)
    }
  })()
  await node.kill()
  await sleep(1_000)
  await untilCounting(opened)
  over = true
  await counting
  return longest
}

describe.skipIf(!hasRedis || !openssl)('with several Redis, TLS and a user', () => {
  const trusted = getCACertificates('default')
  let authority: CertificateAuthority
  let certificate: CertificateFiles
  beforeAll(async () => {
    authority = await createCertificateAuthority(openssl as string)
    certificate = await authority.issue(['IP:127.0.0.1'])
    setDefaultCACertificates([...trusted, readFileSync(certificate.OAUTH2_GRPC_TLS_CA, 'utf8')])
  })
  afterAll(async () => {
    setDefaultCACertificates(trusted)
    await authority?.remove()
  })

  test('the primary that a sentinel names counts, and its successor after a failover', async () => {
    await using redis = await startSentinel(certificate, 'watch')
    for (const node of redis.nodes) await addUser(node)
    const url = `rediss+sentinel://gatehouse:secret@127.0.0.1:9,${redis.address}/mymaster/0?sentinel_password=watch`
    const opened = await connected(url)
    expect(await countFirst(opened, 'a')).toEqual([])
    const [primary, replica] = redis.nodes as [TestRedis, TestRedis]
    expect(await primary.ask('EXISTS gatehouse:limit:token:a-0')).toEqual([':1'])
    expect(opened.alone.count).toBe(0)

    expect(await countThrough(opened, primary)).toBeLessThan(2_000)
    expect(opened.messages()).toEqual([lost, back])
    expect(await countFirst(opened, 'b')).toEqual([])
    expect(await replica.ask('EXISTS gatehouse:limit:token:b-0')).toEqual([':1'])
  })

  test('the nodes of a cluster count what belongs to them, each request by one command, and go on after a failover', async () => {
    await using redis = await startCluster(certificate)
    for (const node of redis.nodes) await addUser(node)
    const url = `rediss+cluster://gatehouse:secret@127.0.0.1:9,${redis.address}`
    const opened = await connected(url)
    await countFirst(opened, 'warm')
    for (const node of redis.nodes) await node.ask('CONFIG RESETSTAT')
    expect(await countFirst(opened, 'a')).toEqual([])
    const calls = await Promise.all(
      redis.nodes.map(async (node) => (await node.callsOf('evalsha')) + (await node.callsOf('eval'))),
    )
    expect(calls.slice(0, 3).every((count) => count > 0)).toBe(true)
    expect(calls.reduce((sum, count) => sum + count)).toBe(50)
    const over = createOverLimits({ shared: shareOverLimits(opened.client, 'one'), now: Date.now })
    over.note({ bucket: 'token', clientId: 'client_a', network: '192.0.2.1' }, 60)
    await over.share()
    expect(await over.list()).toMatchObject({ over: [{ clientId: 'client_a' }], shared: true })
    expect(opened.alone.count).toBe(0)

    expect(await countThrough(opened, redis.nodes[0] as TestRedis)).toBeLessThan(2_000)
    const countedAlone = async () => {
      const before = opened.alone.count
      await countFirst(opened, `b-${performance.now()}`)
      return opened.alone.count - before
    }
    // The replica takes over when the others call the primary dead.
    await expect.poll(countedAlone).toBe(0)
    const before = opened.alone.count
    expect(await countFirst(opened, 'c')).toEqual([])
    expect(opened.alone.count).toBe(before)
  })
})
