import type { Check } from '../src/checker/check.ts'
import { checkHistory } from '../src/checker/history-check.ts'
import type { Header, Line, Operation } from '../src/history/lines.ts'

/** The beginning of every history. */
export const header: Header = {
  is: 'header',
  version: 1,
  date: '2026-01-01T00:00:00Z',
  seed: 1,
  clockJump: 0,
}

/** An operation that was answered half a second after it was invoked, unless it says otherwise. */
export function did(
  name: Operation['name'],
  invoked: number,
  changes: Partial<Omit<Operation, 'name' | 'invoked'>> = {},
): Operation {
  const { outcome = 'ok' } = changes
  return {
    is: 'operation',
    client: 'somebody',
    name,
    gateway: 'a',
    invoked,
    returned: invoked + 500,
    outcome,
    status: { ok: 200, refused: 400, unknown: 0 }[outcome],
    about: {},
    heard: {},
    ...(outcome === 'refused' && { error: 'invalid_grant' }),
    ...changes,
  }
}

/** An access token that expires after an hour. */
export const token = (jti: string, kid = 'key 1') => ({ jti, kid, expires: 3_600_000 })

/** An answer to an introspection. */
export const found = (jti: string, at: number, active: boolean) =>
  did('introspect', at, { about: { token: jti }, heard: { active } })

/** Checks a history. Every token that was answered is stored, unless a line says which are. @returns the names of the checks that found something */
export async function findings(lines: readonly Line[]): Promise<string[]> {
  const tokens = lines.flatMap((line) => (line.is === 'operation' ? (line.heard.token?.jti ?? []) : []))
  const all: Line[] = [header, ...lines, { is: 'calm', at: 3_000_000 }]
  if (!lines.some(({ is }) => is === 'stored')) all.push({ is: 'stored', tokens })
  const read = async function* () {
    yield* all
  }
  const checks: Check[] = await checkHistory(read)
  return checks.filter(({ failures }) => failures.length > 0).map(({ name }) => name)
}
