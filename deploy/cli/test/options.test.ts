import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addOptions } from '../src/command.ts'
import { metadataOptions } from '../src/metadata-options.ts'

test.each([
  ['--post-logout-redirect-uri', '--post-logout-redirect-uris', 'post_logout_redirect_uris'],
  ['--contact', '--contacts', 'contacts'],
])('%s works beside %s, also together', (one, many, field) => {
  const command = new Command()
  const given = addOptions(command, metadataOptions)
  command.parse([one, 'a', many, 'b', one, 'c'], { from: 'user' })
  expect(given()).toEqual({ [field]: ['b', 'a', 'c'] })
})

test('the output may be closed before its end', () => {
  const main = join(import.meta.dirname, '../src/main.ts')
  const script = `for i in 1 2 3; do "$0" "$1" clients create --help | true; "$0" "$1" --help | head -1; done`
  const { stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath, main], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout).toContain('Usage: gatehouse')
})
