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
  const recorder = new URL(`../support/loaded-modules.ts?${new URLSearchParams({ file })}`, import.meta.url)
  system = await startTestSystem({ NODE_OPTIONS: `--import=${recorder}`, OAUTH2_OTLP_ENDPOINT: '' })
})
afterAll(async () => {
  await system?.stop()
  await rm(directory, { recursive: true, force: true })
})

type Loaded = { main: string; name: string }

test('with no collector named, no process loads OpenTelemetry', async () => {
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
    // What all have, so that there is no doubt that it was looked at.
    expect(packages).toContain('@grpc/grpc-js')
    // prom-client takes the API along, which does nothing by itself.
    const openTelemetry = packages.filter((one) => one.startsWith('@opentelemetry/'))
    expect(openTelemetry.filter((one) => one !== '@opentelemetry/api')).toEqual([])
  }
})
