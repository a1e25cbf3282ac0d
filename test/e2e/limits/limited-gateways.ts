import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { until } from '@gatehouse/test/oauth'
import { startRedis, type TestRedis } from '@gatehouse/test/servers/redis'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'
import { startTwoReplicas } from '../logins/login-people.ts'
import { figure, samplesIn } from '../telemetry/metrics-samples.ts'

/** The password of Redis. */
export const redisPassword = 'redis-password-that-must-not-be-in-any-log'

/** How many of the clients share no budget with the ones of single tests. */
export const crowd = 40

/** Two gateways that count requests in one Redis. */
export type LimitedGateways = {
  redis: TestRedis
  system: TestSystem
  /** Where each gateway is reached. */
  gateways: [string, string]
  /** A crowd of clients, and twenty more. */
  clients: RegisteredClient[]
  /** How a metric stands, the gateways together. */
  metric(name: string): Promise<number>
  /** Waits until gateways count in Redis again. */
  untilCountedTogether(...gateways: string[]): Promise<void>
  gatewayLog(): string
  stop(): Promise<void>
}

/** Starts Redis, and two replicas of every process. */
export async function startLimitedGateways(): Promise<LimitedGateways> {
  const started = new AsyncDisposableStack()
  const redis = await startRedis({ requirepass: redisPassword })
  started.defer(() => redis.stop())
  const { system, gateways, stop } = await startTwoReplicas({
    OAUTH2_RATE_LIMIT_ENABLED: 'true',
    OAUTH2_RATE_LIMIT_OTHER: '1000000',
    OAUTH2_REDIS_URL: redis.url,
    OAUTH2_SERVER_TRUST_PROXY_HEADERS: 'true',
  })
  started.defer(stop)
  const clients: RegisteredClient[] = []
  while (clients.length < crowd + 20) {
    clients.push(...(await Promise.all(Array.from({ length: 5 }, () => system.register()))))
  }
  const metric = async (name: string) => {
    const pages = gateways.map(async (url) => samplesIn(await (await fetch(`${url}/metrics`)).text()))
    return (await Promise.all(pages)).reduce((sum, samples) => sum + (figure(samples, name) ?? 0), 0)
  }
  const countedAlone = () => metric('rate_limit_counted_alone_total')
  return {
    redis,
    system,
    gateways,
    clients,
    metric,
    untilCountedTogether: (...urls) =>
      until(async () => {
        const before = await countedAlone()
        for (const url of urls) await statusOf(system.request(`${url}/health`))
        return (await countedAlone()) === before
      }, 10_000),
    gatewayLog: () => readFileSync(join(system.dataDirectory, 'logs', 'gateway.log'), 'utf8'),
    stop: () => started.disposeAsync(),
  }
}

/** The status of an answer whose body nobody reads. */
export async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response
  await body?.cancel()
  return status
}

/** Sends a client's wrong secret to a gateway, from an address, and closes the connection a millisecond later. */
export async function guessAndHangUp(
  gateway: string,
  guess: { clientId: string; secret: string; from: string },
): Promise<void> {
  const body = `grant_type=client_credentials&client_id=${guess.clientId}&client_secret=${guess.secret}`
  const lines = [
    'POST /oauth/token HTTP/1.1',
    'host: x',
    `x-forwarded-for: ${guess.from}`,
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
  ]
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(gateway).port) })
  socket.on('error', () => undefined)
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  await new Promise((resolve) => socket.once('connect', resolve))
  setTimeout(() => socket.resetAndDestroy(), 1)
}
