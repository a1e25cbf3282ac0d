import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { authorize } from '@gatehouse/test/browser/browser-login'
import type { World } from './world.ts'

/**
 * Runs a client that is a separate program. Its last argument has its settings as JSON. It writes the URL that its user must
 * open in one line, reads the URL to which the user returns, and writes its result as one line of JSON.
 * @throws Error with the program's standard error when it fails
 */
export async function converseWith<Result>(
  { system, jar }: Pick<World, 'system' | 'jar'>,
  [path, ...argv]: [string, ...string[]],
  settings: object,
): Promise<Result> {
  const child = spawn(path, [...argv, JSON.stringify(settings)])
  const complaint = text(child.stderr)
  const ended = once(child, 'close')
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (lines.length === 1) child.stdin.end(`${await authorize(system, jar, new URL(line))}\n`)
  }
  const [status] = await ended
  if (status !== 0 || lines.length !== 2) throw new Error(`${path} ended with ${status}: ${await complaint}`)
  return JSON.parse(lines[1] as string) as Result
}
