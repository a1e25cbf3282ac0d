import { globSync } from 'node:fs'
import { rootDirectory } from '@gatehouse/local/places'
import { expect, test } from 'vitest'
import { groups } from './groups.ts'

test.each(Object.entries(groups))('the modules and tests of %s exist', (_, { mutate, tests }) => {
  const filesOf = (pattern: string) => globSync(pattern.replace(/\{([^,}]+)\}/, '$1'), { cwd: rootDirectory })
  // One file for each name between braces, so that none of them is left behind when it moves.
  const named = (pattern: string) => /\{(.+)\}/.exec(pattern)?.[1]?.split(',').length ?? 1
  for (const pattern of [...mutate, ...tests])
    expect([pattern, filesOf(pattern).length >= named(pattern)]).toEqual([pattern, true])
})
