import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@gatehouse/test/servers/server-process'
import { askApiServer } from './ask.ts'
import { buildHyperkube } from './hyperkube.ts'
import { kubeconfigFor } from './kubeconfig.ts'

/** A real API server of Kubernetes with nothing behind it: it takes and keeps objects, and no pod ever runs. */
export type ApiServer = {
  /** The file that tells Helm where it is. */
  kubeconfig: string
  /**
   * Asks one thing of it.
   * @param path such as /api/v1/namespaces
   * @param body an object to create, as JSON or YAML
   */
  ask(path: string, body?: string): Promise<unknown>
  stop(): Promise<void>
}

/** Starts one on the loopback interface, and builds it first where that was not done before. */
export async function startApiServer(): Promise<ApiServer> {
  const hyperkube = await buildHyperkube()
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-api-server-'))
  const [client, peer, port] = (await freePorts(3)) as [number, number, number]
  const token = randomBytes(16).toString('hex')
  const key = join(directory, 'accounts.key')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(directory, 'tokens.csv'), `${token},admin,admin,system:masters\n`)

  const at = (number: number) => `http://127.0.0.1:${number}`
  const processes = [
    start([hyperkube, 'etcd'], directory, {
      'data-dir': join(directory, 'etcd'),
      'listen-client-urls': at(client),
      'advertise-client-urls': at(client),
      'listen-peer-urls': at(peer),
      'initial-advertise-peer-urls': at(peer),
      'initial-cluster': `default=${at(peer)}`,
      'unsafe-no-fsync': 'true',
    }),
    start([hyperkube, 'kube-apiserver'], directory, {
      'etcd-servers': at(client),
      'bind-address': '127.0.0.1',
      'secure-port': String(port),
      'cert-dir': directory,
      'token-auth-file': join(directory, 'tokens.csv'),
      'service-account-issuer': 'https://kubernetes.default.svc',
      'service-account-key-file': key,
      'service-account-signing-key-file': key,
      'service-cluster-ip-range': '10.96.0.0/16',
    }),
  ]
  async function stop(): Promise<void> {
    for (const child of processes.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    rmSync(directory, { recursive: true, force: true })
  }

  const kubeconfig = join(directory, 'kubeconfig')
  writeFileSync(kubeconfig, kubeconfigFor(port, token))
  const ask = (path: string, body?: string) => askApiServer(port, token, path, body)
  for (let attempt = 0; ; attempt += 1) {
    if (processes.some(({ exitCode }) => exitCode !== null) || attempt === 300) {
      const log = readFileSync(join(directory, 'log'), 'utf8').slice(-2_000)
      await stop()
      throw new Error(`the API server does not get ready: ${log}`)
    }
    if ((await ask('/readyz').catch(() => '')) === 'ok') return { kubeconfig, ask, stop }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function start(
  [path, program]: [string, string],
  directory: string,
  options: Record<string, string>,
): ChildProcess {
  const log = openSync(join(directory, 'log'), 'a')
  const argv = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  return spawn(path, [program, ...argv], { stdio: ['ignore', log, log] })
}
