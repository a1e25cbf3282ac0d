import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Fault } from '../src/history/fault.ts'
import { checkLogs, holdsPiece, piecesOf, readLogs } from '../src/world/logs.ts'

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzb21lYm9keSJ9.c2lnbmF0dXJlLW9mLWEtdG9rZW4tdGhhdC1pcy1sb25n'
const password = 'p4ssw0rd-with-more-than-twelve-characters'
const pieces = piecesOf([token, password])

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gatehouse-proof-logs-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

test.each([
  `{"msg":"refused","token":"${token}"}`,
  `a signature ${token.split('.')[2]} in the middle`,
  `cut off: ${password.slice(0, 15)}`,
  `the end of one: ${password.slice(-14)}`,
  `joined%20${password}%20by others`,
])('finds a line with a part of a secret: %s', (line) => {
  expect(holdsPiece(line, pieces)).toBe(true)
})

test('does not mistake ids, or the common beginning of tokens, for secrets', () => {
  const line = `{"client_id":"client_0190f0a0-0000-7000-8000-00000000000a","text":"${token.split('.')[0]}"}`
  expect(holdsPiece(line, pieces)).toBe(false)
})

test('accepts an error only around a fault that explains it', async () => {
  const began = Date.UTC(2026, 0, 1)
  const fault = {
    target: 'postgresql',
    harm: 'killed',
    began: 0,
    over: 0,
    recovered: 500,
    ready: 500,
  } as Fault
  const error = (time: number, message: string) =>
    `${JSON.stringify({ level: 50, time, service: 'token', err: { message }, msg: 'call failed' })}\n`
  const judge = async (text: string) => {
    writeFileSync(join(directory, 'token-a.log'), text)
    const [errors, secrets] = checkLogs(await readLogs(directory, pieces, began), [fault], 2)
    return [errors?.failures.length, secrets?.failures.length]
  }
  expect(await judge(error(began + 200, 'connect ECONNREFUSED 127.0.0.1:5432'))).toEqual([0, 0])
  expect(await judge(error(began + 60_000, 'connect ECONNREFUSED 127.0.0.1:5432'))).toEqual([1, 0])
  expect(await judge(error(began + 200, 'undefined is not a function'))).toEqual([1, 0])
  expect(await judge('TypeError: undefined is not a function\n')).toEqual([1, 0])
  expect(await judge(`{"level":30,"msg":"login","password":"${password}"}\n`)).toEqual([0, 1])
})
