import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program, run } from '@gatehouse/test/programs/programs'
import { runDirectory } from '@gatehouse/test/run-directory'
import { repository } from '@gatehouse/test/servers/prometheus'
import { expect } from 'vitest'
import { parseAllDocuments } from 'yaml'

/** The chart's directory. */
export const chartDirectory = join(repository, 'deploy/helm/gatehouse')

/** The version of Kubernetes that Helm assumes. */
export const kubernetesVersion = '1.34.0'

/** The values of a release in production: external services, and no generated secrets. */
export const production = {
  existingSecret: 'gatehouse-secrets',
  tls: { mode: 'cert-manager', certManager: { issuerRef: { name: 'internal', kind: 'ClusterIssuer' } } },
  httpRoute: {
    enabled: true,
    parentRefs: [{ name: 'public', namespace: 'gateways' }],
    hostnames: ['auth.example.com'],
  },
}

/** The part of a Kubernetes object that the tests use. */
export type Manifest = {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    labels: Record<string, string>
    annotations?: Record<string, string>
  }
  // biome-ignore lint/suspicious/noExplicitAny: the API server and kubeconform know their shape
  spec: any
  data: Record<string, string>
  stringData?: Record<string, string>
}

/** The part of a container that the tests use. */
export type Container = {
  name: string
  image: string
  args?: string[]
  env?: Variable[]
  envFrom?: { configMapRef: { name: string } }[]
  ports?: { name: string; containerPort: number }[]
  securityContext: object
  resources: { requests: Record<string, string>; limits: Record<string, string> }
  lifecycle?: { preStop: { sleep: { seconds: number } } }
  volumeMounts?: { name: string; mountPath: string; subPath?: string }[]
}
type Variable = {
  name: string
  value?: string
  valueFrom?: { secretKeyRef?: { name: string; key: string; optional?: boolean } }
}

export type Pod = {
  securityContext: Record<string, unknown>
  initContainers?: Container[]
  containers: Container[]
  volumes?: { name: string; secret?: { secretName: string } }[]
  automountServiceAccountToken: boolean
  terminationGracePeriodSeconds: number
}

/** The value of a key in a Secret. */
export function decoded({ data }: Manifest, key: string): string {
  return Buffer.from(data[key] ?? '', 'base64').toString()
}

/** The path of Helm; undefined when its tests must be skipped. */
export const helm = await program('helm')

const scratch = mkdtempSync(join(runDirectory(), 'gatehouse-chart-'))
let files = 0

/** Creates a file with a text, which is deleted after the tests. */
export function scratchFile(text: string): string {
  const file = join(scratch, `${files++}.yaml`)
  writeFileSync(file, text)
  return file
}

/** Helm's arguments for the chart with values. Without a cluster, secrets are made up only when that is asked for. */
function withValues(command: string[], values: object, chart = chartDirectory): string[] {
  const file = scratchFile(JSON.stringify({ generateSecrets: true, ...values }))
  return [...command, chart, '--kube-version', kubernetesVersion, '--values', file]
}

/** Helm's output for the values, or its error. */
export function template(values: object, chart?: string) {
  return run(helm as string, [...withValues(['template', 'auth'], values, chart), '--namespace', 'iam'])
}

/**
 * Expects Helm to refuse the values.
 * @param message a part of one line of the error, or a pattern for all of it
 */
export async function expectRefused(values: object, message: string | RegExp): Promise<void> {
  const { ok, stderr } = await template(values)
  const pattern =
    typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message)
  expect({ ok, stderr }).toEqual({ ok: false, stderr: pattern })
  if (typeof message === 'string')
    expect(stderr.split('\n').filter((line) => line.includes(message))).toHaveLength(1)
  // The message does not contain a secret's value.
  expect(stderr).not.toContain('x'.repeat(32))
}

/** Helm's notes after an installation with the values; without a cluster it prints them only in an object. */
export async function notes(values: object): Promise<string> {
  const copy = join(scratch, `chart-${files++}`)
  cpSync(chartDirectory, copy, { recursive: true })
  const text = '{{ include "gatehouse/templates/NOTES.txt" . | toJson }}'
  writeFileSync(join(copy, 'templates/notes.yaml'), `kind: Notes\ntext: ${text}\n`)
  const { ok, stdout, stderr } = await template(values, copy)
  if (!ok) throw new Error(stderr)
  const [found] = new Release(stdout).kinds('Notes') as unknown as { text: string }[]
  return found?.text ?? ''
}

/** Whether `helm lint --strict` accepts the chart with the values, and its output. */
export function lint(values: object) {
  return run(helm as string, withValues(['lint', '--strict'], values))
}

/** The objects of a release named `auth` in the namespace `iam`. */
export class Release {
  readonly text: string
  readonly manifests: Manifest[]

  constructor(text: string) {
    this.text = text
    // Kubernetes reads YAML 1.1: 0440 is octal, and `no` is false.
    this.manifests = parseAllDocuments(text, { version: '1.1' })
      .map((document) => document.toJS() as Manifest | null)
      .filter((manifest) => manifest !== null)
  }

  kinds(kind: string): Manifest[] {
    return this.manifests.filter((manifest) => manifest.kind === kind)
  }

  find(kind: string, name: string): Manifest {
    const found = this.kinds(kind).find(({ metadata }) => metadata.name === name)
    if (!found) throw new Error(`there is no ${kind} ${name}`)
    return found
  }

  /** The objects with pods, and their pods. */
  pods(): { manifest: Manifest; pod: Pod }[] {
    return this.manifests
      .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
      .map((manifest) => ({ manifest, pod: manifest.spec.template.spec as Pod }))
  }

  /** The container of a service. */
  container(service: string): Container {
    return this.find('Deployment', `auth-gatehouse-${service}`).spec.template.spec.containers[0]
  }

  /** The variables that a service gets; a secret is shown as `secret:NAME/KEY`. */
  environment(service: string): Record<string, string> {
    const { env = [], envFrom = [] } = this.container(service)
    const fixed = envFrom.map(({ configMapRef }) => this.find('ConfigMap', configMapRef.name).data)
    const own = env.map(({ name, value, valueFrom }) => {
      const { name: secret, key } = valueFrom?.secretKeyRef ?? {}
      return [name, value ?? (secret ? `secret:${secret}/${key}` : 'of the pod')]
    })
    return Object.assign({}, ...fixed, Object.fromEntries(own))
  }

  /**
   * The same variables with the values that the process gets.
   * @param elsewhere the content of Secrets that do not belong to the chart
   */
  environmentSeen(service: string, elsewhere: (variable: string) => string = String) {
    const seen = Object.entries(this.environment(service)).map(([variable, value]) => {
      const [, name = '', key = ''] = /^secret:(.+)\/(.+)$/.exec(value) ?? []
      if (!name) return [variable, value]
      const secret = this.kinds('Secret').find(({ metadata }) => metadata.name === name)
      return [variable, secret ? (secret.stringData?.[key] ?? decoded(secret, key)) : elsewhere(variable)]
    })
    return Object.fromEntries(seen) as Record<string, string>
  }
}

const rendered = new Map<string, Promise<Release>>()

/**
 * The chart's objects for the values; the same result for the same values.
 * @throws Error with Helm's message when it refuses them
 */
export function render(values: object): Promise<Release> {
  const key = JSON.stringify(values)
  const release = rendered.get(key) ?? renderAgain(values)
  rendered.set(key, release)
  return release
}

/** The same, but runs Helm each time. */
export async function renderAgain(values: object): Promise<Release> {
  const { ok, stdout, stderr } = await template(values)
  if (!ok) throw new Error(stderr)
  return new Release(stdout)
}
