import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { errorCatalogue } from '@gatehouse/proto/errors'
import { expect, test } from 'vitest'

test('docs/apps/troubleshooting.md has every error code, and no other', () => {
  const page = readFileSync(join(rootDirectory, 'docs/apps/troubleshooting.md'), 'utf8')
  const codes = [...page.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code),
  )
  expect(codes.sort()).toEqual(Object.keys(errorCatalogue).sort())
})
