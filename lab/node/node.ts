import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '@gatehouse/test/programs/programs'
import { kubeconfigOf, writeConfig } from './config.ts'
import { home, imageDirectory, inRun, lockFile, nodeAddress } from './places.ts'
import type { Programs } from './prepare.ts'
import { removeRemains } from './remains.ts'

/** A running node, which ends with this process. */
export type KubernetesNode = { stop(): Promise<void> }

/**
 * Starts the node, and returns when it is ready and names resolve in it.
 * @throws Error when there is another one, or with the ends of its logs when it does not get ready
 */
export async function startNode({ hyperkube, helm }: Programs): Promise<KubernetesNode> {
  mkdirSync(home, { recursive: true })
  if (!(await isFree())) throw new Error('A node is running already; `npm run test:node -- down` ends it.')
  await removeRemains()
  await writeConfig()
  // kubectl and Helm by their names, for those who look around.
  writeFileSync(inRun('bin', 'kubectl'), `#!/bin/sh\nexec ${hyperkube} kubectl "$@"\n`, { mode: 0o755 })
  symlinkSync(helm, inRun('bin', 'helm'))
  const log = openSync(inRun('log', 'node'), 'a')
  const keeper = spawn(
    'flock',
    [
      ...['--nonblock', '--conflict-exit-code', '75', lockFile, process.execPath],
      ...[
        join(import.meta.dirname, 'keeper.ts'),
        inRun(),
        hyperkube,
        imageDirectory,
        nodeAddress,
        process.execPath,
      ],
    ],
    { detached: true, stdio: ['pipe', log, log, 2] },
  )
  const stop = async () => {
    keeper.stdin?.end()
    if (keeper.exitCode === null && keeper.signalCode === null) await once(keeper, 'exit')
  }
  try {
    await untilReady(keeper)
  } catch (error) {
    await stop()
    throw error
  }
  return { stop }
}

/** Whether no process of a node lives. */
async function isFree(): Promise<boolean> {
  return (await run('flock', ['--nonblock', lockFile, 'true'])).ok
}

/** Ends a node that its command left, and removes what is left of it. */
export async function removeNode(): Promise<void> {
  const keeper = inRun('keeper')
  const isAlive = !(await isFree())
  if (isAlive && existsSync(keeper)) process.kill(Number(readFileSync(keeper, 'utf8')), 'SIGTERM')
  for (let attempt = 0; !(await isFree()); attempt += 1) {
    if (attempt === 300) throw new Error('The node does not end.')
    await sleep(100)
  }
  await removeRemains()
}

/**
 * The command that runs another one on the node.
 * @throws Error when there is no node
 */
export function onNode(...command: string[]): [program: string, argv: string[]] {
  if (!existsSync(inRun('init'))) throw new Error('There is no node.')
  const enter = [
    '--target',
    readFileSync(inRun('init'), 'utf8'),
    '--pid',
    '--net',
    '--mount',
    '--uts',
    '--ipc',
  ]
  const environment = [`KUBECONFIG=${kubeconfigOf('admin')}`, `PATH=${inRun('bin')}:${process.env.PATH}`]
  return ['nsenter', [...enter, `--wd=${process.cwd()}`, '--', 'env', ...environment, ...command]]
}

async function untilReady(keeper: ChildProcess): Promise<void> {
  const kubectl = async (...argv: string[]) => {
    if (!existsSync(inRun('init'))) return false
    return (await run(...onNode('kubectl', ...argv))).ok
  }
  const manifests = join(import.meta.dirname, 'manifests')
  const steps = [
    ['get', '--raw', '/readyz'],
    ['apply', '-f', manifests],
    ['apply', '-f', volumes()],
    ['wait', 'node/node', '--for=condition=Ready', '--timeout=5s'],
    ['-n', 'kube-system', 'rollout', 'status', 'deployment/coredns', '--timeout=5s'],
  ]
  for (let attempt = 0; steps.length > 0; attempt += 1) {
    if (keeper.exitCode !== null || attempt === 600) {
      const logs = await run('sh', [
        '-c',
        'tail -n 20 "$@"',
        'sh',
        ...['node', 'kubelet'].map((name) => inRun('log', name)),
      ])
      throw new Error(`The node does not get ready:\n${logs.stdout}`)
    }
    if (await kubectl(...(steps[0] as string[]))) steps.shift()
    else await sleep(500)
  }
}

/** Volumes for those who claim one without a class, as the bundled PostgreSQL does. */
function volumes(): string {
  const expression = { key: 'kubernetes.io/hostname', operator: 'In', values: ['node'] }
  const items = ['1', '2', '3'].map((name) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `volume-${name}` },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      local: { path: inRun('volumes', name) },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
    },
  }))
  const file = inRun('config', 'volumes.json')
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  return file
}
