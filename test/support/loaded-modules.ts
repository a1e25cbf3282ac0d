// For Node's --import: writes the packages whose modules a process loads into the file that the query names, one line for each:
// the process id and the package.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { argv, pid } from 'node:process'

const file = new URL(import.meta.url).searchParams.get('file') ?? ''
const [, main = ''] = argv
const seen = new Set<string>()
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? []
    if (name && !seen.has(name)) appendFileSync(file, `${JSON.stringify({ pid, main, name })}\n`)
    if (name) seen.add(name)
    return next(url, context)
  },
})
