import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceNames } from '@gatehouse/local/services'
import { createEmptyDatabase } from '@gatehouse/test/postgres/database'
import { startDnsServer } from '@gatehouse/test/servers/dns-server'
import { repository } from '@gatehouse/test/servers/prometheus'
import { freePorts } from '@gatehouse/test/servers/server-process'
import { describe, expect, test } from 'vitest'
import { decoded, helm, render } from './chart.ts'

/** The command with which the image starts a container. */
function start(args: readonly string[] = [], env: Record<string, string> = {}) {
  const entrypoint = join(repository, 'deploy/docker/entrypoint.ts')
  const child = spawn(process.execPath, [entrypoint, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  return { child, output: () => output, ended: once(child, 'exit').then(([code]) => code as number | null) }
}

describe.skipIf(!helm)('what the chart tells the pods', () => {
  test('makes the processes a system that issues tokens over encrypted calls', {
    timeout: 180_000,
  }, async () => {
    await using stack = new AsyncDisposableStack()
    const database = await createEmptyDatabase()
    stack.defer(() => database.drop())
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-pods-'))
    stack.defer(() => rmSync(directory, { recursive: true, force: true }))
    const dns = await startDnsServer()
    stack.defer(() => dns.close())
    const release = await render({ secrets: { OAUTH2_DATABASE_URL: database.url } })

    const [job] = release.kinds('Job')
    const tables = { NODE_ENV: 'production', OAUTH2_DATABASE_URL: database.url }
    const [waiting] = release.find('Deployment', 'auth-gatehouse-token').spec.template.spec.initContainers
    const waits = start(waiting.args, tables)
    stack.defer(() => void waits.child.kill('SIGKILL'))
    await expect.poll(waits.output, { timeout: 60_000 }).toContain('waiting for the migrations')
    const migrates = start(job?.spec.template.spec.containers[0].args, tables)
    expect([await migrates.ended, await waits.ended], waits.output()).toEqual([0, 0])

    // Unlike in a cluster, all share one network, so each has its own ports, and the test's DNS server resolves the names.
    const ports = await freePorts(serviceNames.length * 2 + 1)
    const grpcPort = (index: number) => String(ports[index * 2])
    const internalPort = (index: number) => String(ports[index * 2 + 1])
    const httpPort = String(ports.at(-1))
    const processes: ReturnType<typeof start>[] = []
    stack.defer(() => {
      for (const { child } of processes) child.kill('SIGKILL')
    })
    for (const [index, name] of serviceNames.entries()) {
      dns.add(`auth-gatehouse-${name}`, '127.0.0.1')
      const secret = release.find('Secret', `auth-gatehouse-${name}-tls`)
      const files = join(directory, name)
      mkdirSync(files)
      for (const file of Object.keys(secret.data)) writeFileSync(join(files, file), decoded(secret, file))
      const environment = release.environmentSeen(name)
      for (const [variable, value] of Object.entries(environment)) {
        const service = serviceNames.findIndex((one) => value === `dns:///auth-gatehouse-${one}:50051`)
        if (service >= 0)
          environment[variable] =
            `dns://${dns.authority}/auth-gatehouse-${serviceNames[service]}:${grpcPort(service)}`
        environment[variable] = environment[variable]?.replace('/etc/gatehouse/tls', files) ?? ''
      }
      const own = {
        OAUTH2_GRPC_PORT: grpcPort(index),
        OAUTH2_INTERNAL_PORT: internalPort(index),
        OAUTH2_SERVER_PORT: httpPort,
        // Otherwise grpc-js would use the system's name server.
        GRPC_NODE_USE_ALTERNATIVE_RESOLVER: 'true',
      }
      processes.push(start(release.container(name).args, { ...environment, ...own }))
    }
    for (const [index, { output }] of processes.entries()) {
      const ready = async () => (await fetch(`http://127.0.0.1:${internalPort(index)}/ready`)).ok
      await expect.poll(() => ready().catch(output), { timeout: 60_000, interval: 250 }).toBe(true)
    }

    const gateway = `http://127.0.0.1:${httpPort}`
    const health = async () =>
      ((await (await fetch(`${gateway}/health`)).json()) as { status: string }).status
    // Requests are limited to a hundred a minute.
    await expect.poll(health, { timeout: 60_000, interval: 1_500 }).toBe('healthy')
    const metadata = { client_name: 'Pods', grant_types: ['client_credentials'], scope: 'read' }
    const registered = await fetch(`${gateway}/clients/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    })
    const { client_id, client_secret } = (await registered.json()) as Record<string, string>
    const token = await fetch(`${gateway}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'read' }),
    })
    expect([registered.status, token.status]).toEqual([201, 200])

    const patience = release.find('Deployment', 'auth-gatehouse-gateway').spec.template.spec
    const signalled = Date.now()
    for (const { child } of processes) child.kill('SIGTERM')
    const codes = await Promise.all(processes.map(({ ended }) => ended))
    expect(codes).toEqual(serviceNames.map(() => 0))
    const left =
      patience.terminationGracePeriodSeconds - patience.containers[0].lifecycle.preStop.sleep.seconds
    expect(Date.now() - signalled).toBeLessThan((left - 5) * 1_000)
  })
})
