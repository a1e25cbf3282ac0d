import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { rootDirectory } from '@gatehouse/local/places'
import { serviceNames } from '@gatehouse/local/services'
import { must } from '@gatehouse/test/programs/run'
import { versionOf } from '@gatehouse/tools/release/versions'
import { askApiServer } from '../cluster/ask.ts'
import { adminTokenFile } from './config.ts'
import { apiPort, registry } from './places.ts'

// The access of the steps to the cluster. The steps run on the node itself, where Services and pods have their addresses.

/** The namespace in which most steps are. */
export const namespace = 'gatehouse'

/** The version of this checkout, under which the node's registry has the image and the chart. */
export const version = versionOf(rootDirectory)

/** The arguments by which Helm finds the chart. */
export const chart = [`oci://${registry}/charts/gatehouse`, '--plain-http', '--version', version]

/** The five services. */
export const services = serviceNames

/** A pod, as far as the steps look at it. */
export type Pod = {
  metadata: { name: string; uid: string; labels: Record<string, string>; deletionTimestamp?: string }
  spec: { containers: { name: string; resources: { requests?: Record<string, string> } }[] }
  status: {
    phase: string
    podIP?: string
    startTime?: string
    conditions?: { type: string; status: string; lastTransitionTime: string }[]
    containerStatuses?: { name: string; restartCount: number; ready: boolean }[]
  }
}

/** Runs kubectl in the namespace, or in another one by `-n`. */
export const kubectl = (...argv: string[]) => must('kubectl', ['-n', namespace, ...argv])

/** Makes a namespace, and waits until it has what every namespace has: the chart looks for that. */
export async function makeNamespace(name: string): Promise<void> {
  await must('kubectl', ['create', 'namespace', name])
  await must('kubectl', ['-n', name, 'wait', '--for=create', 'serviceaccount/default', '--timeout=60s'])
}

/** Runs Helm in the namespace. */
export const helm = (...argv: string[]) => must('helm', [...argv, '--namespace', namespace])

/**
 * Runs Helm's upgrade of the release with the values that it has, and some new ones.
 * @param values as `name=value`; `name=[]` is an empty list, which only JSON can say
 */
export const upgrade = (...values: string[]) =>
  helm(
    'upgrade',
    'gatehouse',
    ...chart,
    '--reuse-values',
    ...values.flatMap((value) => [value.endsWith('=[]') ? '--set-json' : '--set', value]),
  )

/** Asks the API server. */
export async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const token = readFileSync(adminTokenFile, 'utf8')
  return (await askApiServer(apiPort, token, path, body && JSON.stringify(body))) as Answer
}

/** The pods of the release, of all components or of one. */
export async function pods(component?: string, within = namespace): Promise<Pod[]> {
  const selector = component ? `?labelSelector=app.kubernetes.io/component%3D${component}` : ''
  return (await ask<{ items: Pod[] }>(`/api/v1/namespaces/${within}/pods${selector}`)).items
}

/** Whether a pod is ready and not ending. */
export function isReady({ metadata, status }: Pod): boolean {
  const ready = status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
  return ready === true && metadata.deletionTimestamp === undefined
}

/** When a pod got ready, in milliseconds since the Unix epoch; undefined if it is not. */
export function readyAt({ status }: Pod): number | undefined {
  const condition = status.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True')
  return condition && Date.parse(condition.lastTransitionTime)
}

/**
 * Waits until something is true.
 * @param what its name, for the error
 * @param isSo tells it; an error that it throws counts as not yet
 * @param withinMs the longest wait, in milliseconds
 * @returns how long it took, in milliseconds
 */
export async function until(what: string, isSo: () => Promise<unknown>, withinMs: number): Promise<number> {
  const began = Date.now()
  let error: unknown
  for (;;) {
    try {
      if (await isSo()) return Date.now() - began
      error = undefined
    } catch (thrown) {
      error = thrown
    }
    const why = error ? `: ${error}` : ''
    if (Date.now() - began > withinMs) throw new Error(`after ${withinMs / 1_000} s not yet: ${what}${why}`)
    await sleep(200)
  }
}

/** Waits until the Deployments of all five services, or of some, have what they should have and nothing else. */
export async function settled(names: readonly string[] = services): Promise<void> {
  for (const name of names)
    await kubectl('rollout', 'status', `deployment/gatehouse-${name}`, '--timeout=300s')
  await until(
    'no pod is ending',
    async () => (await pods()).every(({ metadata }) => !metadata.deletionTimestamp),
    120_000,
  )
}

/** Runs JavaScript in a pod of a service, and returns what it prints. The image has no shell. */
export const inPod = (pod: string, script: string) =>
  kubectl('exec', pod, '--', '/usr/local/bin/node', '-e', script)

/** The address of a Service in the cluster. */
export async function addressOf(service: string, within = namespace): Promise<string> {
  const { spec } = await ask<{ spec: { clusterIP: string } }>(
    `/api/v1/namespaces/${within}/services/${service}`,
  )
  return spec.clusterIP
}

/** One value of a Secret of the release. */
export async function secretValue(name: string, key: string): Promise<string> {
  const { data } = await ask<{ data: Record<string, string> }>(
    `/api/v1/namespaces/${namespace}/secrets/${name}`,
  )
  return Buffer.from(data[key] ?? '', 'base64').toString()
}
