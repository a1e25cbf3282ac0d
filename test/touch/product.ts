import { matchesGlob } from 'node:path'
import { gitFiles } from '@gatehouse/test/repository'
import { Misfit } from './edit.ts'

/** The files that count: those that people write. Tests, docs and generated files do not. */
const product = [
  'services/*/src/**',
  'services/console/*.ts',
  'deploy/*/src/**',
  'prisma/src/**',
  'prisma/schema/**',
  'prisma/migrations/**',
  'proto/*.ts',
  'proto/administered/*.ts',
  'proto/authorization/*.ts',
  'proto/client-fields/*.ts',
  'proto/people/*.ts',
  'proto/gatehouse/**',
]
/** Where something is looked for by default. Migrations that were released are never edited, so what they name says nothing. */
const lookedThrough = product.filter((pattern) => !pattern.startsWith('prisma/migrations'))
const generated = [
  'proto/variable-names.ts',
  'proto/upstream-providers.ts',
  'services/admin-api/src/generated/**',
  'services/gateway/src/people/texts/table.ts',
]

/** Whether a file counts. */
export function isProduct(file: string): boolean {
  const isIn = (patterns: readonly string[]) => patterns.some((pattern) => matchesGlob(file, pattern))
  return isIn(product) && !isIn(generated)
}

/** Which files name something. */
export type Named = {
  /** An extended regular expression for lines (POSIX). */
  words: string
  /** Where to look, as patterns; by default everywhere in the product. */
  within?: readonly string[]
  /** Files that name it for another reason: nobody would touch them for the next one of its kind. */
  except?: readonly string[]
}

/**
 * The files of the product that name something, in the order of their paths.
 * @throws Misfit for a pattern in which no file is left: the files were moved, and the count would say too little
 */
export function filesThatName({ words, within = lookedThrough, except = [] }: Named): string[] {
  const unknown = within.find((pattern) => !gitFiles('ls-files', [pattern]).length)
  if (unknown !== undefined) throw new Misfit(`no file is in ${unknown}`)
  const found = gitFiles('grep', within, ['--files-with-matches', '--extended-regexp', '-e', words])
  const idle = except.find((pattern) => !found.some((file) => matchesGlob(file, pattern)))
  if (idle !== undefined) throw new Misfit(`no file in ${idle} names it`)
  return found.filter((file) => isProduct(file) && !except.some((pattern) => matchesGlob(file, pattern)))
}

/** Every file of the repository, without those that git ignores. */
export function filesOfRepository(): string[] {
  return [...new Set(gitFiles('ls-files', ['**']))]
}
