import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { entriesOf } from '../src/import/entry.ts'
import { ownUser } from '../src/import/own-user.ts'
import { recordsOfLines } from '../src/import/records.ts'

test('a deep line ends only itself', async () => {
  const deep = `{"username":"ann","name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
  const input = Readable.from([`${deep}\n{"username":"bob"}\n`])
  const reading = { records: recordsOfLines, prepare: ownUser }
  const entries = []
  for await (const entry of entriesOf(['-'], () => reading, { input })) entries.push(entry)
  expect(entries).toEqual([
    { place: { line: 1 }, prepared: { name: '', outcome: 'invalid', reason: 'It is nested too deeply.' } },
    { place: { line: 2 }, prepared: expect.objectContaining({ name: 'bob', item: { username: 'bob' } }) },
  ])
})
