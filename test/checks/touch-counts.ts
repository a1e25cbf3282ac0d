import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { grantTypes } from '@gatehouse/proto/grants'

// The cost of an addition: how many files of the product contain the latest one of its kind. Tests, docs and generated files do not
// count. More than `most` is an error.

const counts = [
  // Its entry, and its words in the languages of the console.
  { what: 'a client field that only travels', word: 'software_version', most: 2 },
  // Its entry, and its words in the languages of the pages and of the console.
  { what: 'a user attribute that only travels', word: 'family_name', most: 3 },
  { what: 'a client field with a meaning', word: 'access_token_lifetime', most: 4 },
  { what: 'an algorithm of key pairs', word: 'PS256', most: 3 },
]

const product = ['services/*/src/**', 'deploy/*/src/**', 'prisma/src/**', 'proto/*.ts']

for (const { what, word, most } of counts) report(`${what} (${word})`, filesWith(word), most)

// A grant is a module of its own, its line in the table of grants, and its entry in proto/grants.ts. A file that also
// lists grants would have to be changed for each new one; files that are kept for the last release would not.
const listing = filesWith('_code|_token|_credentials|password').filter((path) => {
  const text = readFileSync(join(rootDirectory, path), 'utf8')
  const named = grantTypes.filter((grantType) => new RegExp(`['"\`]${grantType}['"\`]`).test(text))
  return named.length > 1 && !path.includes('/released-')
})
report('a list of grants (an example of an event, and the guide of the console, name some)', listing, 3)

function report(what: string, files: readonly string[], most: number): void {
  console.log(`${String(files.length).padStart(3)} of at most ${most}  ${what}: ${files.join(', ')}`)
  if (files.length > most || files.length === 0) process.exitCode = 1
}

/** The files of the product that contain a word, or a part of it. */
function filesWith(pattern: string): string[] {
  const paths = product.map((path) => `:(glob)${path}`)
  const exact = pattern.includes('|') ? ['--extended-regexp'] : ['--word-regexp']
  const command = ['grep', '--untracked', '--files-with-matches', ...exact, '-e', pattern, '--', ...paths]
  return execFileSync('git', command, { cwd: rootDirectory, encoding: 'utf8' }).trim().split('\n')
}
