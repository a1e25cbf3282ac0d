import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { expect, test } from 'vitest'
import { plants } from '../src/plants/plants.ts'

const replacements = plants.flatMap(({ name, replaced }) => (replaced ? [{ name, ...replaced }] : []))

test.each(replacements)('the text that the defect $name replaces is in $file once', ({ file, from }) => {
  expect(readFileSync(join(rootDirectory, file), 'utf8').split(from)).toHaveLength(2)
})
