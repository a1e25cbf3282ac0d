import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DnsServer, startDnsServer } from '@gatehouse/test/servers/dns-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNameResolver } from '../../src/names/name-resolver.ts'

let dns: DnsServer
let directory: string
const file = (name: string) => join(directory, name)
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatehouse-names-'))
  dns = await startDnsServer()
  dns.silence('silent.example')
  dns.add('one.example', '192.0.2.1')
  dns.add('both.example', '192.0.2.2')
  dns.add('both.example', '2001:db8::2')
  dns.add('receiver.internal.example', '10.0.0.1')
  dns.add('app.dev', '192.0.2.3')
  dns.add('app.dev.cluster.example', '10.0.0.2')
})
afterAll(async () => {
  await dns.close()
  await rm(directory, { recursive: true })
})

const resolverWith = async (lines: string[] = [], hosts = '') => {
  const [configurationFile, hostsFile] = [file('resolv.conf'), file('hosts')]
  await writeFile(configurationFile, [`nameserver ${dns.authority}`, ...lines, ''].join('\n'))
  await writeFile(hostsFile, hosts)
  return createNameResolver({ configurationFile, hostsFile, nameServers: [dns.authority] })
}
const never = () => new AbortController().signal

test('a name has its addresses of both kinds, IPv4 first', async () => {
  const resolve = await resolverWith()
  expect(await resolve('one.example', never())).toEqual(['192.0.2.1'])
  expect(await resolve('BOTH.example.', never())).toEqual(['192.0.2.2', '2001:db8::2'])
})

test('a name that does not exist is an error', async () => {
  const resolve = await resolverWith()
  await expect(resolve('none.example', never())).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

test('a name whose server never answers is given up when the caller gives up, and is asked for no more', async () => {
  const resolve = await resolverWith()
  const names = Array.from({ length: 100 }, (_, number) => `x${number}.silent.example`)
  const giveUp = new AbortController()
  const silent = names.map((name) => resolve(name, giveUp.signal))
  const settled = Promise.allSettled(silent)
  await expect.poll(() => dns.queriesOf('x99.silent.example')).toBeGreaterThan(0)
  // libuv's threads are free, and so are the look-ups of other names.
  expect(await readFile(file('hosts'), 'utf8')).toBe('')
  expect(await resolve('one.example', never())).toEqual(['192.0.2.1'])
  giveUp.abort(new Error('too late'))
  expect(new Set((await settled).map((one) => (one as PromiseRejectedResult).reason.message))).toEqual(
    new Set(['too late']),
  )
  await expect(resolve('one.example', giveUp.signal)).rejects.toThrow('too late')
  const asked = () => names.reduce((sum, name) => sum + dns.queriesOf(name), 0)
  const before = asked()
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(asked()).toBe(before)
})

test('a name server that is silent about one kind of address does not hold up the other', async () => {
  const resolve = await resolverWith()
  dns.add('half.example', '192.0.2.4')
  dns.silence('half.example', 'AAAA')
  expect(await resolve('half.example', AbortSignal.timeout(900))).toEqual(['192.0.2.4'])
})

test('the hosts file counts first, and when it changes, at once', async () => {
  const resolve = await resolverWith([], '192.0.2.77 one.example # a comment\n::1 One.Example other\n')
  expect(await resolve('one.example', never())).toEqual(['192.0.2.77', '::1'])
  expect(await resolve('other', never())).toEqual(['::1'])
  await writeFile(file('hosts'), '192.0.2.78 third\n')
  expect(await resolve('one.example', never())).toEqual(['192.0.2.1'])
  await rm(file('hosts'))
  expect(await resolve('one.example', never())).toEqual(['192.0.2.1'])
})

test.each(['localhost', 'LOCALHOST.', 'app.localhost'])('%s is this machine', async (name) => {
  const resolve = await resolverWith()
  expect(await resolve(name, never())).toEqual(['127.0.0.1', '::1'])
})

test('the search list of resolv.conf counts', async () => {
  const cluster = await resolverWith(['search internal.example cluster.example', 'options ndots:5'])
  expect(await cluster('receiver', never())).toEqual(['10.0.0.1'])
  expect(await cluster('app.dev', never())).toEqual(['10.0.0.2'])
  expect(await cluster('app.dev.', never())).toEqual(['192.0.2.3'])
  expect(await cluster('one.example', never())).toEqual(['192.0.2.1'])
  const plain = await resolverWith(['domain cluster.example'])
  expect(await plain('app.dev', never())).toEqual(['192.0.2.3'])
})
