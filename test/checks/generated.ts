import { readFile, writeFile } from 'node:fs/promises'
import { configurationPage } from './configuration-page.ts'
import { eventsPage } from './events-page.ts'
import { openapiDocument } from './openapi-document.ts'

// The files of docs/ that are written from the code: with --write they are renewed, else it is an error when one is
// not as the code has it.

const files: Record<string, () => string | Promise<string>> = {
  'docs/configuration.md': configurationPage,
  'docs/events.md': eventsPage,
  'docs/openapi.json': openapiDocument,
}

const write = process.argv.includes('--write')
const root = new URL('../../', import.meta.url)
for (const [path, generate] of Object.entries(files)) {
  const file = new URL(path, root)
  const text = await generate()
  if (write) await writeFile(file, text)
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`${path} is not what the code says: run npm run generate`)
    process.exitCode = 1
  }
}
