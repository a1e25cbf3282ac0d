import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { issueToken, untilReady } from '@gatehouse/test/oauth'
import { rawRequest } from '@gatehouse/test/raw-http'
import { type Replica, replicaPorts } from '@gatehouse/test/replica'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const formType = { 'content-type': 'application/x-www-form-urlencoded' }

describe.skipIf(!hasClusters)('a gateway that stops', () => {
  let cluster: Cluster
  let gateway: Replica
  let form: string
  beforeAll(async () => {
    cluster = await startCluster()
    await untilReady(cluster)
    gateway = cluster.replicasOf('gateway')[0] as Replica
    form = `token=${await issueToken(cluster, await cluster.register())}`
  }, 180_000)
  afterAll(() => cluster?.stop())

  /** Sends one request over a reused connection. */
  async function ask(agent: Agent): Promise<{ status: number; last: boolean }> {
    const options = { host: gateway.address, port: replicaPorts.http, path: '/oauth/introspect', agent }
    const asked = request({ ...options, method: 'POST', headers: formType })
    asked.end(form)
    try {
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      await text(response)
      return { status: response.statusCode ?? 0, last: response.headers.connection === 'close' }
    } catch (error) {
      throw Object.assign(error as Error, { cutOff: asked.reusedSocket })
    }
  }

  /** Sends requests until an answer says that the connection closes, or the idle connection is closed. */
  async function askUntilSentAway(): Promise<string> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    try {
      for (;;) {
        const { status, last } = await ask(agent)
        if (status !== 200) return `was answered ${status}`
        if (last) return 'was told to go'
      }
    } catch (error) {
      const { cutOff, message } = error as Error & { cutOff: boolean }
      return cutOff ? `was cut off: ${message}` : 'was closed while idle'
    } finally {
      agent.destroy()
    }
  }

  test('completes every request, however callers use their connections', async () => {
    const busy = Array.from({ length: 24 }, askUntilSentAway)
    const idle = connect(replicaPorts.http, gateway.address)
    idle.write(rawRequest('GET', '/live-and-kept'))
    await once(idle, 'data')
    idle.resume()
    const slow = connect(replicaPorts.http, gateway.address)
    const bytes = rawRequest('POST', '/oauth/introspect', formType, form)
    slow.write(bytes.slice(0, -20))
    await sleep(1_000)

    const stopped = cluster.remove(gateway)
    await sleep(300)
    slow.write(bytes.slice(-20))
    const [answer] = await once(slow.setEncoding('latin1'), 'data')
    // These callers are never idle, so each must have been told.
    expect(await Promise.all(busy)).toEqual(Array(busy.length).fill('was told to go'))
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
    if (!idle.readableEnded) await once(idle, 'end')
    expect(await stopped).toEqual({ code: 0, signal: null })
  })
})
