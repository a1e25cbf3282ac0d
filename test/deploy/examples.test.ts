import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceSchemas } from '@gatehouse/local/service-schemas'
import { serviceNames } from '@gatehouse/local/services'
import { program, run } from '@gatehouse/test/programs/programs'
import { repository } from '@gatehouse/test/servers/prometheus'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { chartDirectory, helm, kubernetesVersion, Release, scratchFile } from './chart.ts'
import { kubernetesSchemas, validate } from './chart-schemas.ts'

const kubeconform = await program('kubeconform')
const schemas = helm && kubeconform ? await kubernetesSchemas() : undefined

// biome-ignore lint/suspicious/noExplicitAny: kubeconform knows the shape of each kind
type Thing = { kind: string; metadata: { name: string }; spec: any }
type Example = { values: object; objects: Thing[]; texts: string[] }

const examples = join(repository, 'deploy/helm/examples')
const names = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory())

/** The values and objects of a folder; a tool that installs charts has the values in its object. */
function readExample(name: string): Example {
  const files = readdirSync(join(examples, name)).map((file) => [
    file,
    readFileSync(join(examples, name, file), 'utf8'),
  ])
  const documentsOf = (text: string) => parseAllDocuments(text).map((document) => document.toJS())
  const texts = files.filter(([file]) => file !== 'values.yaml').map(([, text = '']) => text)
  const objects = texts.flatMap(documentsOf) as Thing[]
  const own = files.find(([file]) => file === 'values.yaml')?.[1]
  const values = own
    ? documentsOf(own)[0]
    : objects.map(({ spec }) => spec.source?.helm.valuesObject ?? spec.values).find(Boolean)
  return { values, objects, texts }
}

/** Renders a release as Argo CD does: nothing can be looked up. */
function render(values: object) {
  const file = scratchFile(JSON.stringify(values))
  const words = [
    '--name-template',
    'gatehouse',
    '--namespace',
    'gatehouse',
    '--kube-version',
    kubernetesVersion,
  ]
  const apis = ['--api-versions', 'cert-manager.io/v1', '--include-crds']
  return run(helm as string, ['template', chartDirectory, ...words, ...apis, '--values', file])
}

/** The annotation by which Vault's injector writes a file of that name. */
const injected = /^vault\.hashicorp\.com\/agent-inject-template-(.+)$/

/** The keys of each Secret that the objects make for the pods, by its name. */
function secretsOf(objects: Thing[]): Record<string, string[]> {
  const found = objects.flatMap(({ kind, metadata, spec }): [string, string[]][] => {
    if (kind === 'ExternalSecret')
      return [[spec.target.name, spec.data.map(({ secretKey }: { secretKey: string }) => secretKey)]]
    if (kind === 'SealedSecret') return [[spec.template.metadata.name, Object.keys(spec.encryptedData)]]
    if (kind === 'Cluster')
      return [
        [`${metadata.name}-app`, ['username', 'password', 'dbname', 'uri', 'jdbc-uri']],
        [`${metadata.name}-ca`, ['ca.crt', 'ca.key']],
      ]
    return []
  })
  return Object.fromEntries(found)
}

describe.skipIf(!helm).each(names)('the example $name', ({ name }) => {
  const { values, objects, texts } = readExample(name)

  test('is rendered twice to the same objects, and makes no secret up', async () => {
    const [first, second] = [await render(values), await render(values)]
    expect({ ok: first.ok, stderr: first.stderr }).toEqual({ ok: true, stderr: '' })
    expect(second.stdout).toBe(first.stdout)
    expect(new Release(first.stdout).kinds('Secret')).toEqual([])
  })

  test.skipIf(!schemas)('has objects that are in order, beside those of the chart', async () => {
    const { stdout: rendered } = await render(values)
    const { stdout } = await validate(
      [rendered, ...texts].map(scratchFile),
      schemas as string,
      kubernetesVersion,
    )
    const { resources, summary } = JSON.parse(stdout)
    expect(resources).toEqual([])
    const valid = new Release(rendered).manifests.length + objects.length
    expect(summary).toEqual({ valid, invalid: 0, errors: 0, skipped: 0 })
  })

  test('gives each process the secrets without which it does not start', async () => {
    const release = new Release((await render(values)).stdout)
    const made = secretsOf([...objects, ...(release.manifests as Thing[])])
    for (const service of serviceNames) {
      const { metadata, spec } = release.find('Deployment', `gatehouse-${service}`).spec.template
      const { env } = spec.containers[0]
      const references = env.flatMap(
        ({ valueFrom }: { valueFrom?: { secretKeyRef?: object } }) => valueFrom?.secretKeyRef ?? [],
      )
      const files = env.filter(({ name }: { name: string }) => name.endsWith('_FILE'))
      expect(references.length + files.length, service).toBeGreaterThan(0)
      for (const { name, key, optional } of references)
        if (made[name] && !optional) expect(made[name], `${service}: ${name}`).toContain(key)
      const written = Object.keys(metadata.annotations).flatMap((name) => injected.exec(name)?.[1] ?? [])
      expect(files.map(({ value }: { value: string }) => value).sort(), service).toEqual(
        written.map((name) => `/vault/secrets/${name}`).sort(),
      )
      const given = env.map(({ name }: { name: string }) => name.replace(/_FILE$/, ''))
      const needed = ['OAUTH2_DATABASE_URL', 'OAUTH2_JWT_SECRET', 'OAUTH2_SESSION_KEY', 'OAUTH2_FACTOR_KEY']
      for (const variable of needed)
        if (variable in serviceSchemas[service].properties) expect(given, service).toContain(variable)
    }
  })
})

test('every folder is in the list of examples, and each tool makes the secrets that its example names', () => {
  const readme = readFileSync(join(examples, 'README.md'), 'utf8')
  for (const { name } of names) expect(readme).toContain(`[${name}](${name})`)
  const secret = ['external-secrets', 'sealed-secrets'].map((name) => {
    const { values, objects } = readExample(name)
    const extra = (values as { extraObjects?: Thing[] }).extraObjects ?? []
    return Object.keys(secretsOf([...objects, ...extra]))
  })
  expect(secret).toEqual([['gatehouse-secrets'], ['gatehouse-secrets']])
  expect(Object.keys(secretsOf(readExample('cloudnative-pg').objects))).toEqual([
    'gatehouse-db-app',
    'gatehouse-db-ca',
  ])
})
