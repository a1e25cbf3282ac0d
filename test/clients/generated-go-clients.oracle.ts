import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildInCache } from '@gatehouse/test/programs/cached-build'
import { buildGoTools } from '@gatehouse/test/programs/go-programs'
import { programCache } from '@gatehouse/test/programs/program-cache'
import { program, run } from '@gatehouse/test/programs/programs'
import { afterAll, expect, test } from 'vitest'

// Clients that the usual generators make of docs/reference/openapi.json compile, whole.

const document = join(import.meta.dirname, '../../docs/reference/openapi.json')
const schemas = Object.keys(JSON.parse(readFileSync(document, 'utf8')).components.schemas)
const module = join(import.meta.dirname, 'generated-go')
const generator = 'openapi-generator-cli-7.25.0'

const go = await program('golang-1.26')
const tools = go && (await buildGoTools(module, '', go))
const java = await program('java')
const jar = java && (await fetchGenerator())

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-generated-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** @returns the path of openapi-generator's jar; undefined, with a line that says so, when its test is to be skipped */
async function fetchGenerator(): Promise<string | undefined> {
  const home = join(programCache, generator)
  const there = await buildInCache('openapi-generator', home, async (draft) => {
    const maven = await program('mvn')
    const artifact = `-Dartifact=org.openapitools:${generator.replace(/-(?=\d)/, ':')}`
    return maven === undefined
      ? undefined
      : [[maven, ['-B', '-q', 'dependency:copy', artifact, `-DoutputDirectory=${draft}`]]]
  })
  return there ? join(home, `${generator}.jar`) : undefined
}

async function succeed(path: string, argv: string[], cwd: string): Promise<string> {
  const env = { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off' }
  const { ok, stdout, stderr } = await run(path, argv, { cwd, env })
  expect(ok, `${argv.join(' ')}: ${stdout}${stderr}`).toBe(true)
  return stdout
}

test.skipIf(go === undefined)('the client and the server of oapi-codegen compile', async () => {
  const source = join(directory, 'oapi-codegen')
  mkdirSync(source)
  for (const file of ['go.mod', 'go.sum']) copyFileSync(join(module, file), join(source, file))
  const parts = ['-generate', 'types,client,std-http', '-package', 'gatehouse', '-o', 'gatehouse.go']
  await succeed(join(tools ?? '', 'oapi-codegen'), [...parts, document], source)
  await succeed(go ?? '', ['vet', '.'], source)
})

test.skipIf(go === undefined || jar === undefined)('the client of openapi-generator compiles', async () => {
  const source = join(directory, 'openapi-generator')
  const said = await succeed(
    java ?? '',
    ['-jar', jar ?? '', 'generate', '-i', document, '-g', 'go', '-o', source],
    directory,
  )
  // It renames a schema that it cannot call as the document does, and says so.
  const renamed = [...said.matchAll(/(\w+) \(.*\) cannot be used as (a )?(model name|filename)/g)].map(
    ([, name]) => name,
  )
  expect(renamed.filter((name) => schemas.includes(name ?? ''))).toEqual([])
  await succeed(go ?? '', ['vet', '.'], source)
})
