import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildGoPackage } from '@gatehouse/test/go-programs'
import { freePorts } from '@gatehouse/test/server-process'

/** The version of the API server, as go.mod has it. */
const gomod = readFileSync(join(import.meta.dirname, 'go.mod'), 'utf8')
const [, version = '', minor = ''] = /k8s\.io\/kubernetes (v1\.(\d+)\.\d+)/.exec(gomod) ?? []

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

const stamp = ['gitVersion', version, 'gitMajor', '1', 'gitMinor', minor]
const flags = [0, 2, 4].map((at) => `-X k8s.io/component-base/version.${stamp[at]}=${stamp[at + 1]}`)

/** Starts one on the loopback interface, and builds it first where that was not done before. */
export async function startApiServer(): Promise<ApiServer> {
  const etcd = await buildGoPackage(import.meta.dirname, 'etcd')
  const server = await buildGoPackage(import.meta.dirname, 'kube-apiserver', flags.join(' '))
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-api-server-'))
  const [client, peer, port] = (await freePorts(3)) as [number, number, number]
  const token = randomBytes(16).toString('hex')
  const key = join(directory, 'accounts.key')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(directory, 'tokens.csv'), `${token},admin,admin,system:masters\n`)

  const at = (number: number) => `http://127.0.0.1:${number}`
  const processes = [
    start(etcd, directory, {
      'data-dir': join(directory, 'etcd'),
      'listen-client-urls': at(client),
      'advertise-client-urls': at(client),
      'listen-peer-urls': at(peer),
      'initial-advertise-peer-urls': at(peer),
      'initial-cluster': `default=${at(peer)}`,
      'unsafe-no-fsync': 'true',
    }),
    start(server, directory, {
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
  const name = 'cluster'
  const cluster = { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  }
  writeFileSync(kubeconfig, JSON.stringify(config))
  const ask = (path: string, body?: string) => talk(port, token, path, body)
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

function start(path: string, directory: string, options: Record<string, string>): ChildProcess {
  const log = openSync(join(directory, 'log'), 'a')
  const argv = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  return spawn(path, argv, { stdio: ['ignore', log, log] })
}

function talk(port: number, token: string, path: string, body: string | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/yaml' },
      // Its certificate is one that it made for itself.
      rejectUnauthorized: false,
    }
    const sent = request(options, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      const isJson = response.headers['content-type']?.includes('json')
      if ((response.statusCode ?? 500) < 300) resolve(isJson ? JSON.parse(text) : text)
      else reject(new Error(`${path}: ${response.statusCode} ${text}`))
    })
    sent.on('error', reject).end(body)
  })
}
