import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithUs } from '../programs/end-with-us.ts'
import { program, run } from '../programs/programs.ts'
import type { CertificateFiles } from './certificates.ts'
import { startRedis, type TestRedis } from './redis.ts'
import { freePorts } from './server-process.ts'

/** Several real Redis that clients reach by TLS, and tests without. */
export type SeveralRedis = AsyncDisposable & {
  nodes: TestRedis[]
  /** The address at which clients find them: that of the sentinel, or of the first node. */
  address: string
}

/** Starts a primary and a replica, and a sentinel that calls the primary `mymaster` and replaces it after one and a half seconds. */
export async function startSentinel(certificate: CertificateFiles, password: string): Promise<SeveralRedis> {
  await using starting = new AsyncDisposableStack()
  const directory = await makeDirectory(starting)
  const [primaryTls, replicaTls, port, tls] = (await freePorts(4)) as [number, number, number, number]
  const nodes: TestRedis[] = []
  for (const tlsPort of [primaryTls, replicaTls]) {
    const node = await startRedis({
      ...encrypted(certificate, tlsPort),
      'tls-replication': 'yes',
      dir: directory,
    })
    starting.defer(() => node.kill())
    nodes.push(node)
  }
  await nodes[1]?.ask(`REPLICAOF 127.0.0.1 ${primaryTls}`)
  const settings = {
    port,
    bind: '127.0.0.1',
    ...encrypted(certificate, tls),
    'tls-replication': 'yes',
    dir: directory,
  }
  const lines = [
    ...Object.entries(settings).map(([name, value]) => `${name} ${value}`),
    `requirepass ${password}`,
    `sentinel monitor mymaster 127.0.0.1 ${primaryTls} 1`,
    'sentinel down-after-milliseconds mymaster 500',
    'sentinel failover-timeout mymaster 2000',
  ]
  const file = join(directory, 'sentinel.conf')
  await writeFile(file, `${lines.join('\n')}\n`)
  const sentinel = spawn((await program('redis-server')) as string, [file, '--sentinel'], { stdio: 'ignore' })
  endWithUs(sentinel)
  starting.defer(() => killed(sentinel))
  await untilReplicated(nodes[0] as TestRedis)
  await until(async () => {
    const argv = ['-p', String(port), '-a', password, 'sentinel', 'replicas', 'mymaster']
    return (await run('redis-cli', argv)).stdout.split('\n').includes(String(replicaTls))
  })
  const ended = starting.move()
  return { nodes, address: `127.0.0.1:${tls}`, [Symbol.asyncDispose]: () => ended.disposeAsync() }
}

/** Starts a cluster of three primaries and a replica of the first of them, which replaces it after one and a half seconds. */
export async function startCluster(certificate: CertificateFiles): Promise<SeveralRedis> {
  await using starting = new AsyncDisposableStack()
  const directory = await makeDirectory(starting)
  const ports = await freePorts(8)
  const nodes: TestRedis[] = []
  for (let index = 0; index < 4; index++) {
    const node = await startRedis({
      ...encrypted(certificate, ports[index] as number),
      'tls-cluster': 'yes',
      'tls-replication': 'yes',
      'cluster-enabled': 'yes',
      'cluster-port': String(ports[index + 4]),
      'cluster-config-file': `nodes-${index}.conf`,
      'cluster-node-timeout': '1500',
      dir: directory,
    })
    starting.defer(() => node.kill())
    nodes.push(node)
  }
  const [first, second, third, replica] = nodes as [TestRedis, TestRedis, TestRedis, TestRedis]
  await first.ask('CLUSTER ADDSLOTSRANGE 0 5460')
  await second.ask('CLUSTER ADDSLOTSRANGE 5461 10922')
  await third.ask('CLUSTER ADDSLOTSRANGE 10923 16383')
  for (const [index, node] of nodes.entries()) {
    await node.ask(`CONFIG SET cluster-announce-ip 127.0.0.1`)
    if (index > 0) await first.ask(`CLUSTER MEET 127.0.0.1 ${ports[index]} ${ports[index + 4]}`)
  }
  const [, id = ''] = await first.ask('CLUSTER MYID')
  await until(async () => (await replica.ask(`CLUSTER REPLICATE ${id}`))[0] === '+OK')
  await untilReplicated(first)
  for (const node of nodes)
    await until(async () => (await node.ask('CLUSTER INFO')).includes('cluster_state:ok'))
  const ended = starting.move()
  return { nodes, address: `127.0.0.1:${ports[0]}`, [Symbol.asyncDispose]: () => ended.disposeAsync() }
}

async function makeDirectory(ended: AsyncDisposableStack): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-redis-'))
  ended.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

function encrypted(certificate: CertificateFiles, port: number) {
  return {
    'tls-port': String(port),
    'tls-ca-cert-file': certificate.OAUTH2_GRPC_TLS_CA,
    'tls-cert-file': certificate.OAUTH2_GRPC_TLS_CERT,
    'tls-key-file': certificate.OAUTH2_GRPC_TLS_KEY,
    'tls-auth-clients': 'no',
  }
}

async function untilReplicated(primary: TestRedis): Promise<void> {
  await until(async () => (await primary.ask('INFO replication')).some((line) => /state=online/.test(line)))
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; !(await isSo()); await sleep(50)) {
    if (Date.now() > deadline) throw new Error(`it is never so: ${isSo}`)
  }
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended
}
