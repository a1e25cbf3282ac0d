import { mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { introspectionOf, issueToken } from '@gatehouse/test/oauth'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beginTrace } from '@gatehouse/test/traces'
import { afterAll, beforeAll, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-modules-'))
const file = join(directory, 'loaded')
let system: TestSystem
beforeAll(async () => {
  const recorder = new URL(
    `../../support/loaded-modules.ts?${new URLSearchParams({ file })}`,
    import.meta.url,
  )
  system = await startTestSystem({ NODE_OPTIONS: `--import=${recorder}`, OAUTH2_OTLP_ENDPOINT: '' })
})
afterAll(async () => {
  await system?.stop()
  await rm(directory, { recursive: true, force: true })
})

type Loaded = { main: string; name: string }

test('loads OpenTelemetry in no process without a collector', async () => {
  const client = await system.register()
  const { headers } = beginTrace()
  const form = { grant_type: 'client_credentials', ...client }
  expect((await system.form('/oauth/token', form, headers)).status).toBe(200)
  expect(await introspectionOf(system, await issueToken(system, client))).toContain('"active":true')
  const loaded = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Loaded => JSON.parse(line))
  for (const { name } of system.processes) {
    const { href } = pathToFileURL(join('services', name, 'src', 'main.ts'))
    const packages = loaded.filter(({ main }) => pathToFileURL(main).href === href).map((one) => one.name)
    // Every process has this package, which shows that the check works.
    expect(packages).toContain('@grpc/grpc-js')
    // prom-client depends on the API, which does nothing by itself.
    const openTelemetry = packages.filter((one) => one.startsWith('@opentelemetry/'))
    expect(openTelemetry.filter((one) => one !== '@opentelemetry/api')).toEqual([])
  }
})
