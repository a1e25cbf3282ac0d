import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { run } from '@gatehouse/test/programs/programs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { chartDirectory, decoded, helm, production, Release, scratchFile } from './chart.ts'

const bundled = { postgresql: { enabled: true } }
const refusal =
  'new secrets would be made at each rendering, because nothing can be looked up in the namespace iam'

function render(values: object, ...more: string[]) {
  const file = scratchFile(JSON.stringify(values))
  const words = ['template', 'auth', chartDirectory, '--namespace', 'iam', '--values', file, ...more]
  return run(helm as string, words)
}

/**
 * Stands in for the API server of a cluster: it only lets Helm read. lab/cluster has a real one.
 * @param objects the objects of the cluster, by path
 * @param forbidden the paths whose answer is 403
 */
async function startCluster(objects: Record<string, object>, forbidden: RegExp = /^$/) {
  const asked: string[] = []
  const resources = Object.entries({
    Secret: 'secrets',
    ConfigMap: 'configmaps',
    ServiceAccount: 'serviceaccounts',
  })
  const fixed: Record<string, object> = {
    '/version': { major: '1', minor: '34', gitVersion: 'v1.34.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    '/api/v1': {
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: resources.map(([kind, name]) => ({ name, kind, namespaced: true, verbs: ['get', 'list'] })),
    },
  }
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://cluster').pathname
    const found = fixed[path] ?? objects[path]
    if (!fixed[path]) asked.push(path)
    const code = forbidden.test(path) ? 403 : found ? 200 : 404
    const reason = code === 403 ? 'Forbidden' : 'NotFound'
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason,
      code,
      message: `${path} is ${reason}`,
    }
    response.writeHead(code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(code === 200 ? found : status))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const kubeconfig = scratchFile(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'c', cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } },
      ],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: {} }],
      'current-context': 'c',
    }),
  )
  return { asked, seen: ['--dry-run=server', '--kubeconfig', kubeconfig] }
}

const account = {
  '/api/v1/namespaces/iam/serviceaccounts/default': {
    ...{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'iam' } },
  },
}
const authority = {
  '/api/v1/namespaces/iam/configmaps/kube-root-ca.crt': {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt', namespace: 'iam' } },
  },
}

describe.skipIf(!helm)('secrets that the chart makes up', () => {
  test.each<[string, object, string[]]>([
    ['all', bundled, ['secrets.OAUTH2_JWT_SECRET', 'postgresql.password', 'tls.mode=generated']],
    ['certificates', { ...production, tls: { mode: 'generated' } }, ['tls.mode=generated']],
    ['a password', { ...production, ...bundled }, ['postgresql.password']],
    [
      'the first administrator’s password',
      {
        tls: { mode: 'disabled' },
        secrets: {
          OAUTH2_DATABASE_URL: 'postgresql://gatehouse@db/gatehouse',
          OAUTH2_JWT_SECRET: 'j'.repeat(32),
          OAUTH2_SESSION_KEY: 's'.repeat(32),
          OAUTH2_FACTOR_KEY: 'f'.repeat(32),
        },
      },
      ['or give secrets.OAUTH2_SEED_PASSWORD (existingSecret'],
    ],
  ])('are refused by helm template, as Argo CD runs it: %s', async (_, values, names) => {
    const { ok, stdout, stderr } = await render(values)
    expect({ ok, stdout }).toEqual({ ok: false, stdout: '' })
    for (const text of [refusal, ...names, 'generateSecrets=true']) expect(stderr).toContain(text)
    expect(stderr).not.toContain('j'.repeat(32))
  })

  test('are not missed where all are given: each rendering is the same', async () => {
    const [first, second] = [await render(production), await render(production)]
    expect(first).toEqual({ ok: true, stdout: expect.stringContaining('kind: Deployment'), stderr: '' })
    expect(second.stdout).toBe(first.stdout)
  })

  test('are new where generateSecrets asks for it in words', async () => {
    const asks = { ...bundled, generateSecrets: true }
    const [first, second] = [await render(asks), await render(asks)]
    expect([first.ok, second.ok]).toEqual([true, true])
    expect(second.stdout).not.toBe(first.stdout)
    expect((await render({ ...bundled, generateSecrets: 'yes' })).ok).toBe(false)
  })

  test.each([
    ['the service account', account],
    ['the certificates of the cluster', authority],
  ])(
    'are made up at a first install into a namespace that has %s, and nothing outside of it is read',
    async (_, objects) => {
      const { asked, seen } = await startCluster(objects)
      const { ok, stdout, stderr } = await render(bundled, ...seen)
      expect({ ok, stderr }).toEqual({ ok: true, stderr: '' })
      const secret = new Release(stdout).find('Secret', 'auth-gatehouse-secrets')
      expect(decoded(secret, 'OAUTH2_JWT_SECRET')).toMatch(/^\w{48}$/)
      expect(asked.length).toBeGreaterThan(0)
      for (const path of asked) expect(path).toMatch(/^\/api\/v1\/namespaces\/iam\/\w+\/[\w.-]+$/)
    },
  )

  test('are read back at an upgrade', async () => {
    const text = 'k'.repeat(48)
    const kept = Object.fromEntries(
      ['OAUTH2_JWT_SECRET', 'OAUTH2_SESSION_KEY', 'OAUTH2_FACTOR_KEY', 'OAUTH2_SEED_PASSWORD'].map((name) => [
        name,
        Buffer.from(text).toString('base64'),
      ]),
    )
    const path = '/api/v1/namespaces/iam/secrets/auth-gatehouse-secrets'
    const { seen } = await startCluster({
      ...account,
      [path]: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'auth-gatehouse-secrets' }, data: kept },
    })
    for (const more of [{}, { generateSecrets: true }]) {
      const { ok, stdout } = await render({ ...bundled, ...more }, ...seen)
      expect(ok).toBe(true)
      expect(new Release(stdout).find('Secret', 'auth-gatehouse-secrets').data).toEqual(kept)
    }
  })

  test('are refused in a namespace that does not exist yet, and where looking is forbidden', async () => {
    const empty = await startCluster({})
    const early = await render(bundled, ...empty.seen)
    expect([early.ok, early.stderr]).toEqual([false, expect.stringContaining(refusal)])
    for (const what of [/serviceaccounts/, /secrets\/auth-gatehouse-secrets/]) {
      const { seen } = await startCluster(authority, what)
      const { ok, stdout, stderr } = await render(bundled, ...seen)
      expect({ ok, stdout }).toEqual({ ok: false, stdout: '' })
      expect(stderr).toContain('Forbidden')
    }
  })
})
