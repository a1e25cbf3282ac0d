import type { lookup } from 'node:dns'
import { loadConfig } from '@gatehouse/kit/load-config'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordedLog } from '../../../kit/test/recorded-log.ts'
import { createPoster } from '../../src/backends/post.ts'
import { isPublicAddress } from '../../src/backends/public-address.ts'
import { webhook } from '../../src/backends/webhook.ts'
import { someEvents } from './contract.ts'
import { type Receiver, startReceiver } from './receiver.ts'

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
  })
}

test.each([
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.100.100.200', '100.127.255.255', '127.0.0.1'],
  ...['127.255.255.255', '168.63.129.16', '169.254.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
  ...['192.0.0.192', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:a00:1'],
  ...['::ffff:169.254.169.254', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1', '100::1'],
  ...['2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1'],
  ...['fe80::1%eth0', 'fec0::1', 'ff02::1', '2606:4700::1%eth0', 'receiver.example', ''],
])('%j is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each([
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.255.255'],
  ...['172.32.0.0', '192.167.255.255', '223.255.255.255', '::ffff:8.8.8.8', '::ffff:808:808'],
  ...['64:ff9b::8.8.8.8', '2606:4700:4700::1111', '2001:4860:4860::8888', '2a00::1'],
])('%j is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

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

test('a name is resolved and checked again for each connection', async () => {
  let address = '127.0.0.1'
  const resolve = ((_name: string, _options: unknown, callback: (...found: unknown[]) => void) =>
    callback(null, [{ address, family: 4 }])) as unknown as typeof lookup
  const url = new URL(`http://receiver.example:${receiver.port}/`)
  const isAllowed = (one: string) => one === '127.0.0.1'
  const poster = createPoster({ url, isAllowed, timeoutMs: 5_000, connections: 1, resolve })
  const post = () => poster.post(Buffer.from('{}'), {}, never)
  expect(await post()).toMatchObject({ status: 204 })

  address = '127.0.0.2'
  receiver.hangUp()
  await expect(post()).rejects.toThrow('special address, which is not allowed')
  address = '127.0.0.1'
  expect(await post()).toMatchObject({ status: 204 })
  poster.close()
})

test('a backend connects only to the allowed addresses of a name', async () => {
  const found = ['127.0.0.3', '127.0.0.1'].map((address) => ({ address, family: 4 }))
  const resolve = ((_name: string, _options: unknown, callback: (...found: unknown[]) => void) =>
    callback(null, found)) as unknown as typeof lookup
  const url = new URL(`http://receiver.example:${receiver.port}/`)
  const tried: string[] = []
  const isAllowed = (one: string) => {
    tried.push(one)
    return one === '127.0.0.1'
  }
  const poster = createPoster({ url, isAllowed, timeoutMs: 5_000, connections: 1, resolve })
  expect(await poster.post(Buffer.from('{}'), {}, never)).toMatchObject({ status: 204 })
  expect(tried).toEqual(['127.0.0.3', '127.0.0.1'])
  poster.close()
})
