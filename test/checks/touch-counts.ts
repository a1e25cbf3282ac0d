import { execFileSync } from 'node:child_process'
import { rootDirectory } from '@gatehouse/local/places'

// What adding costs: in how many files of the product something stands that was added last. Tests, docs and what is
// generated do not count. More than `most` is an error.

const counts = [
  { what: 'a client field that only travels', word: 'software_version', most: 1 },
  { what: 'a client field with a meaning', word: 'access_token_lifetime', most: 4 },
  { what: 'an algorithm', word: 'HS256', most: 2 },
]

const product = ['services/*/src/**', 'deploy/*/src/**', 'prisma/src/**', 'proto/*.ts']

for (const { what, word, most } of counts) {
  const files = filesWith(word)
  console.log(
    `${String(files.length).padStart(3)} of at most ${most}  ${what} (${word}): ${files.join(', ')}`,
  )
  if (files.length > most || files.length === 0) process.exitCode = 1
}

/** The files of the product in which a word stands. */
function filesWith(word: string): string[] {
  const paths = product.map((path) => `:(glob)${path}`)
  const command = ['grep', '--untracked', '--files-with-matches', '--word-regexp', '-e', word, '--', ...paths]
  return execFileSync('git', command, { cwd: rootDirectory, encoding: 'utf8' }).trim().split('\n')
}
