import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigurationError } from '../../src/config/configuration-error.ts'
import { followFiles } from '../../src/files/follow-files.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const lookEveryMs = 20
let directory: string
const atEnd: (() => unknown)[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatehouse-followed-'))
})
afterEach(async () => {
  for (const step of atEnd.splice(0)) await step()
  await rm(directory, { recursive: true, force: true })
})

/** Follows a pair of files, which must hold the same text. */
async function follow(files = { ONE: join(directory, 'one'), OTHER: join(directory, 'other') }) {
  const { log, lines } = recordedLog()
  const taken: string[] = []
  const first = await followFiles(
    { log, onShutdown: (step) => void atEnd.push(step) },
    {
      what: 'reading the pair',
      files,
      make({ ONE, OTHER }) {
        if (!ONE.equals(OTHER)) throw new ConfigurationError('ONE and OTHER must be the same')
        return String(ONE)
      },
      take: (made) => void taken.push(made),
      lookEveryMs,
    },
  )
  return { first, taken, messages: () => lines.map(({ msg }) => msg) }
}

const write = (name: string, text: string) => writeFile(join(directory, name), text)

test('files that are written in place, one after the other, are taken as a whole', async () => {
  await Promise.all([write('one', 'a'), write('other', 'a')])
  const { first, taken, messages } = await follow()
  expect(first).toBe('a')
  await write('one', 'b')
  await write('other', 'b')
  await expect.poll(() => taken).toEqual(['b'])
  expect(messages()).toEqual([])
})

test('files that do not fit together stay unused, with one line, until they do', async () => {
  await Promise.all([write('one', 'a'), write('other', 'a')])
  const { taken, messages } = await follow()
  await write('one', 'b')
  await expect.poll(messages).toEqual(['failed; will be tried again'])
  await sleep(10 * lookEveryMs)
  await write('other', 'half of')
  await sleep(10 * lookEveryMs)
  expect(messages()).toHaveLength(1)
  expect(taken).toEqual([])
  await write('other', 'b')
  await expect.poll(messages).toEqual(['failed; will be tried again', 'works again'])
  expect(taken).toEqual(['b'])
})

test('files behind a symbolic link are read again when it is replaced, as Kubernetes does it', async () => {
  for (const version of ['v1', 'v2']) {
    await mkdir(join(directory, version))
    for (const name of ['one', 'other']) await write(join(version, name), version)
  }
  await symlink('v1', join(directory, '..data'))
  for (const name of ['one', 'other']) await symlink(join('..data', name), join(directory, name))
  const { first, taken } = await follow()
  expect(first).toBe('v1')
  await symlink('v2', join(directory, '..data_tmp'))
  await rename(join(directory, '..data_tmp'), join(directory, '..data'))
  await expect.poll(() => taken).toEqual(['v2'])
})

test('a change is seen whose size and time are those of before', async () => {
  const time = new Date('2030-01-01')
  const set = async (text: string) => {
    for (const name of ['one', 'other']) {
      await write(name, text)
      await utimes(join(directory, name), time, time)
    }
  }
  await set('a')
  const { taken } = await follow()
  await set('b')
  await expect.poll(() => taken).toEqual(['b'])
})

test('a file that is away is an error at the start, and does no harm later', async () => {
  await expect(follow()).rejects.toThrow(/^ONE cannot be read: ENOENT.*\nOTHER cannot be read: ENOENT/)
  await Promise.all([write('one', 'a'), write('other', 'a')])
  const { taken, messages } = await follow()
  await rm(join(directory, 'one'))
  await expect.poll(messages).toEqual(['failed; will be tried again'])
  await write('one', 'b')
  await write('other', 'b')
  await expect.poll(() => taken).toEqual(['b'])
})
