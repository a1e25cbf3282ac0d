import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'

/** A scope of a resource server, with words for the consent page. */
export type Scope = ResourceServer['scopes'][number]

/** The faults of a row of scopes. */
export type ScopeProblem = { scope?: 'missing' | 'twice'; description?: 'missing' }

/** The scopes of the rows that have something in them, without the white space around texts. */
export function filledScopes(rows: readonly Scope[]): Scope[] {
  return rows
    .map(({ scope, description }) => ({ scope: scope.trim(), description: description.trim() }))
    .filter(({ scope, description }) => scope !== '' || description !== '')
}

/** Says for each row what is wrong with it. A row with nothing in it does not count. */
export function scopeProblems(rows: readonly Scope[]): (ScopeProblem | undefined)[] {
  const seen = new Set<string>()
  return rows.map((row) => {
    const [filled] = filledScopes([row])
    if (filled === undefined) return undefined
    const { scope, description } = filled
    const twice = scope !== '' && seen.has(scope)
    seen.add(scope)
    const problem: ScopeProblem = {
      ...(scope === '' ? { scope: 'missing' } : twice && { scope: 'twice' }),
      ...(description === '' && { description: 'missing' }),
    }
    return Object.keys(problem).length > 0 ? problem : undefined
  })
}

/** Whether rows can be sent: at least one scope, and nothing wrong with any. */
export function areComplete(rows: readonly Scope[]): boolean {
  return filledScopes(rows).length > 0 && scopeProblems(rows).every((problem) => problem === undefined)
}

/** The names of scopes that are no longer among others. */
export function takenAway(before: readonly Scope[], after: readonly Scope[]): string[] {
  const kept = new Set(after.map(({ scope }) => scope))
  return before.map(({ scope }) => scope).filter((scope) => !kept.has(scope))
}
