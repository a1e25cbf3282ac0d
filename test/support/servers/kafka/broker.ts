import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Admin } from '@platformatic/kafka'
import { run } from '../../programs/programs.ts'
import { type KafkaPrograms, keyStorePassword } from './programs.ts'

/** A real broker of Apache Kafka on ports of its own; what it has outlives a kill. */
export type TestKafka = {
  /** Where it is reached without anything. */
  plain: string
  /** Where TLS and a password are asked for (SASL PLAIN). */
  secure: string
  /** Starts it, and resolves when it takes clients. Does nothing when it runs. */
  start(): Promise<void>
  /** Ends it without a word. */
  kill(): Promise<void>
  /** Stops it from answering; its connections stay. */
  suspend(): void
  resume(): void
  /** Runs one of Kafka's own programs in Java, and gives what it writes. */
  tool(className: string, argv: readonly string[]): Promise<string>
  /** Ends it and removes its data. */
  remove(): Promise<void>
}

/** Lighter and quicker to start than what a server in earnest is given. */
const javaFlags = ['-Xmx256m', '-Xss512k', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto']
const patience = 60_000

/** The user who may come in where a password is asked for. */
export type KafkaUser = { username: string; password: string }

/** Prepares a broker that is its own controller (KRaft), and does not start it. */
export async function prepareKafka(
  { java, classPath, keyStore }: KafkaPrograms,
  { username, password }: KafkaUser,
): Promise<TestKafka> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-kafka-'))
  const data = join(directory, 'data')
  const [plainPort, securePort, controllerPort] = await freePorts(3)
  const [plain, secure, controller] = [plainPort, securePort, controllerPort].map(
    (port) => `127.0.0.1:${port}`,
  )
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@${controller}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAIN',
    listeners: `PLAIN://${plain},SECURE://${secure},CONTROLLER://${controller}`,
    'advertised.listeners': `PLAIN://${plain},SECURE://${secure}`,
    'listener.security.protocol.map': 'PLAIN:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT',
    'listener.name.secure.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.secure.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}="${password}";`,
    'ssl.keystore.type': 'PKCS12',
    'ssl.keystore.location': keyStore,
    'ssl.keystore.password': keyStorePassword,
    'log.dirs': data,
    'num.partitions': '1',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    'log.cleaner.enable': 'false',
    // A killed broker is let in again only when its session has ended.
    'broker.session.timeout.ms': '1000',
    'broker.heartbeat.interval.ms': '200',
    'num.network.threads': '1',
    'num.io.threads': '2',
  }
  const properties = join(directory, 'server.properties')
  writeFileSync(
    properties,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  mkdirSync(data)
  // The file that Kafka's StorageTool would write, which takes longer than the broker's start.
  writeFileSync(join(data, 'meta.properties'), 'version=1\ncluster.id=gatehouse-tests-000000\nnode.id=1\n')

  let running: ChildProcess | undefined
  const isRunning = () => running !== undefined && running.exitCode === null && running.signalCode === null

  async function start(): Promise<void> {
    if (isRunning()) return
    running = spawn(java, [...javaFlags, '-cp', classPath, 'kafka.Kafka', properties], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [running.stdout, running.stderr]) {
      stream?.on('data', (chunk) => {
        output = (output + chunk).slice(-4_000)
      })
    }
    for (const deadline = Date.now() + patience; ; ) {
      if (!isRunning()) throw new Error(`the broker ended: ${output}`)
      if (await answers(plain as string)) return
      if (Date.now() > deadline) throw new Error(`the broker does not answer: ${output}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async function kill(): Promise<void> {
    if (!running || !isRunning()) return
    const ended = once(running, 'exit')
    running.kill('SIGKILL')
    await ended
  }

  return {
    plain: plain as string,
    secure: secure as string,
    start,
    kill,
    suspend() {
      running?.kill('SIGSTOP')
      // A thread of the broker that has not stopped yet may still answer.
      for (const end = Date.now() + 1_000; Date.now() < end && !isSuspended(running?.pid); );
    },
    resume: () => void running?.kill('SIGCONT'),
    async tool(className, argv) {
      const { ok, stdout, stderr } = await run(java, [...javaFlags, '-cp', classPath, className, ...argv])
      if (!ok) throw new Error(`${className} failed: ${stderr}`)
      return stdout
    },
    async remove() {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Whether a client finds the broker among those that it lists. */
async function answers(broker: string): Promise<boolean> {
  const admin = new Admin({ clientId: 'tests', bootstrapBrokers: [broker], retries: 0 })
  try {
    return (await admin.metadata({ topics: [] })).brokers.size > 0
  } catch {
    return false
  } finally {
    await admin.close()
  }
}

/** Whether all threads of a process are stopped; true where that cannot be seen. */
function isSuspended(pid: number | undefined): boolean {
  const tasks = `/proc/${pid}/task`
  try {
    return readdirSync(tasks).every((id) => / T /.test(readFileSync(join(tasks, id, 'stat'), 'utf8')))
  } catch {
    return true
  }
}

async function freePorts(count: number): Promise<number[]> {
  const listeners = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(listeners.map((listener) => once(listener, 'listening')))
  const ports = listeners.map((listener) => (listener.address() as AddressInfo).port)
  await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))))
  return ports
}
