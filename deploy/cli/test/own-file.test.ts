import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readOwnFile, writeOwnFile } from '../src/own-file.ts'

describe('a file with secrets', () => {
  let folder: string
  let file: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-own-file-'))
    file = join(folder, 'profiles.json')
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  test('is written for its owner alone, and read again', async () => {
    expect(await readOwnFile(file)).toBeUndefined()
    await writeOwnFile(file, 'first')
    await writeOwnFile(file, 'second')
    expect(await readOwnFile(file)).toBe('second')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['profiles.json'])
  })

  test.each([0o604, 0o640, 0o620, 0o602])('is refused with the mode %o', async (mode) => {
    await writeFile(file, 'secret')
    await chmod(file, mode)
    const { uid } = await stat(file)
    // Root trusts files of root that others may only read; so the owner here is judged as an ordinary user would be.
    const fault = { name: 'CommandFailure', message: expect.stringContaining(`chmod 600 ${file}`) }
    await expect(readOwnFile(file, uid)).rejects.toMatchObject(fault)
    await expect(writeOwnFile(file, 'other', uid)).rejects.toMatchObject(fault)
    expect(await readFile(file, 'utf8')).toBe('secret')
  })

  test.runIf(process.getuid?.() === 0)(
    'of root is trusted by others when only root can write it',
    async () => {
      await writeFile(file, 'mounted', { mode: 0o644 })
      expect(await readOwnFile(file, 1234)).toBe('mounted')
      await chmod(file, 0o664)
      await expect(readOwnFile(file, 1234)).rejects.toMatchObject({ name: 'CommandFailure' })
    },
  )

  test.runIf(process.getuid?.() === 0)('of another user is neither read nor written', async () => {
    await writeFile(file, 'theirs', { mode: 0o600 })
    await chown(file, 1234, 1234)
    const message = `${file} belongs to another user of this machine. Set GATEHOUSE_CONFIG to a file of your own.`
    await expect(readOwnFile(file)).rejects.toMatchObject({ name: 'CommandFailure', message })
    await expect(writeOwnFile(file, 'mine')).rejects.toMatchObject({ name: 'CommandFailure', message })
    expect(await readFile(file, 'utf8')).toBe('theirs')
    await chown(folder, 1234, 1234)
    await expect(writeOwnFile(join(folder, 'new'), 'mine')).rejects.toMatchObject({
      message: expect.stringContaining(`${folder} belongs to another user`),
    })
    expect(await readdir(folder)).toEqual(['profiles.json'])
  })

  test('is not written where everybody may replace it', async () => {
    await chmod(folder, 0o777)
    await expect(writeOwnFile(file, 'secret')).rejects.toMatchObject({
      message: `Every user of this machine may write in ${folder}: chmod o-w ${folder}`,
    })
    await chmod(folder, 0o1777)
    await writeOwnFile(file, 'secret')
    expect(await readOwnFile(file)).toBe('secret')
  })

  test('a draft that somebody linked elsewhere is replaced, not followed', async () => {
    const elsewhere = join(folder, 'elsewhere')
    await symlink(elsewhere, `${file}.${process.pid}`)
    await writeOwnFile(file, 'secret')
    expect(await readdir(folder)).toEqual(['profiles.json'])
  })

  test('that is a folder ends in one line', async () => {
    await chmod(folder, 0o700)
    await expect(readOwnFile(folder)).rejects.toMatchObject({ message: `${folder} cannot be read (EISDIR).` })
    await writeOwnFile(file, '')
    await expect(writeOwnFile(join(file, 'inside'), '')).rejects.toMatchObject({
      message: expect.stringMatching(/inside cannot be written \(E[A-Z]+\)\.$/),
    })
  })
})
