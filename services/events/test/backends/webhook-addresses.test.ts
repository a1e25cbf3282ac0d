import { loadConfig } from '@gatehouse/kit/config/load-config'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { Type } from '@gatehouse/proto/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { webhook } from '../../src/webhooks/webhook.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { someEvents } from './some-events.ts'

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.close())
const never = new AbortController().signal

function open(url: string, allowPrivate: boolean) {
  const config = loadConfig(Type.Object(webhook.variables), {
    OAUTH2_EVENTS_WEBHOOK_URL: url,
    OAUTH2_EVENTS_WEBHOOK_SECRET: 'correct-horse-battery-staple',
    OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE: String(allowPrivate),
  })
  return webhook.open(config, {
    ...{ log: recordedLog().log, issuer: 'https://issuer.example', ring: { push: () => undefined } },
    refused: () => undefined,
    attempted: () => undefined,
  })
}

test.each([
  ...['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '169.254.169.254', '10.0.0.1', '0'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[fd00::1]', '[64:ff9b::7f00:1]'],
])('the service does not start with a URL to %s, unless private addresses are allowed', async (host) => {
  const url = `https://user:password@${host}/hook`
  expect(() => open(url, false)).toThrow(
    /^OAUTH2_EVENTS_WEBHOOK_URL names an address that is not public; OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE=true/,
  )
  await open(url, true).close()
})

test('the service does not start with a URL without TLS, unless private addresses are allowed', async () => {
  expect(() => open('http://receiver.example/', false)).toThrow(/^OAUTH2_EVENTS_WEBHOOK_URL must be an https/)
  await open('http://receiver.example/', true).close()
})

test('a backend does not connect to a name that points to a private address', async () => {
  const before = receiver.connections()
  const backend = open(`https://localhost:${receiver.port}/`, false)
  await expect(backend.deliver(someEvents(1), never)).rejects.toThrow('special address, which is not allowed')
  expect(backend.isHealthy()).toBe(false)
  expect(receiver.connections()).toBe(before)
  await backend.close()
})

test('a webhook may go to the networks that OAUTH2_FETCH_ALLOWED_NETWORKS names, and to no other private one', async () => {
  const environment = { OAUTH2_EVENTS_WEBHOOK_SECRET: 'correct-horse-battery-staple' }
  const openWith = (url: string) =>
    webhook.open(
      loadConfig(Type.Object(webhook.variables), {
        ...environment,
        OAUTH2_EVENTS_WEBHOOK_URL: url,
        OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8',
      }),
      {
        log: recordedLog().log,
        issuer: 'https://issuer.example',
        ring: { push: () => undefined },
        refused: () => undefined,
        attempted: () => undefined,
      },
    )
  const backend = openWith(receiver.url)
  expect(await backend.deliver(someEvents(1), never)).toBe(1)
  await backend.close()
  expect(() => openWith('http://10.0.0.1/')).toThrow('names an address that is not public')
})
