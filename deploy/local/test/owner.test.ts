import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { noteDatabaseUrl, notedDatabaseUrl } from '../src/database-address.ts'
import { refuseOthersFile } from '../src/owner.ts'
import { loadSecrets } from '../src/secrets.ts'

const mine = 1000

test.each([
  [mine, 0o600, mine, undefined],
  [mine, 0o644, mine, undefined],
  [0, 0o640, mine, undefined],
  [1001, 0o600, 0, undefined],
  [1001, 0o644, mine, 'belongs to another user'],
  [mine, 0o620, mine, 'may write'],
  [0, 0o602, mine, 'may write'],
  [1001, 0o666, 0, 'may write'],
  [1001, 0o666, undefined, undefined],
])('a file of %i with the mode %o is judged for %s: %s', (uid, mode, user, fault) => {
  const judge = () => {
    if (user === undefined) {
      const { getuid } = process
      // As on Windows.
      Object.assign(process, { getuid: undefined })
      try {
        refuseOthersFile('/f', { uid, mode })
      } finally {
        Object.assign(process, { getuid })
      }
    } else refuseOthersFile('/f', { uid, mode }, user)
  }
  if (fault === undefined) judge()
  else
    expect(judge).toThrow(
      expect.objectContaining({ name: 'StartFailure', message: expect.stringContaining(fault) }),
    )
})

describe('files with secrets in the data directory', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'gatehouse-owner-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  test('secrets are made once, and kept from others', async () => {
    const file = join(directory, 'secrets.json')
    const first = await loadSecrets(directory)
    chmodSync(file, 0o644)
    expect(await loadSecrets(directory)).toEqual(first)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    chmodSync(file, 0o666)
    await expect(loadSecrets(directory)).rejects.toMatchObject({
      name: 'StartFailure',
      message: `Other users of this machine may write ${file}: check it, then chmod 600 ${file}`,
    })
  })

  test('new secrets are not written where a link leads', async () => {
    const elsewhere = join(directory, 'elsewhere')
    writeFileSync(elsewhere, 'theirs')
    symlinkSync(elsewhere, join(directory, 'secrets.json.new'))
    await loadSecrets(directory)
    expect(readFileSync(elsewhere, 'utf8')).toBe('theirs')
  })

  test('the noted address is read by its owner', () => {
    expect(notedDatabaseUrl(directory)).toBeUndefined()
    noteDatabaseUrl(directory, 'postgres://one')
    expect(notedDatabaseUrl(directory)).toBe('postgres://one')
    chmodSync(join(directory, 'database-url'), 0o622)
    expect(() => notedDatabaseUrl(directory)).toThrow(expect.objectContaining({ name: 'StartFailure' }))
  })

  test.runIf(process.getuid?.() === 0)('the noted address of another user ends in one line', () => {
    const file = join(directory, 'database-url')
    noteDatabaseUrl(directory, 'postgres://one')
    chownSync(file, 1001, 1001)
    expect(notedDatabaseUrl(directory)).toBe('postgres://one')
    expect(() => notedDatabaseUrl(directory, mine)).toThrow(
      expect.objectContaining({
        name: 'StartFailure',
        message: `${file} belongs to another user of this machine: make it yours`,
      }),
    )
  })
})
