import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'

/** A role of a resource server. */
export type Role = ResourceServer['roles'][number]

/** The fault of a role’s name. */
export type RoleProblem = 'missing' | 'twice' | 'invalid'

/** A row for a new role. */
export const newRole: Role = { name: '', description: '', scopes: [], organizations_may_give: false }

/** The roles of the rows that have something in them, without the white space around texts. */
export function filledRoles(rows: readonly Role[]): Role[] {
  return rows
    .map((role) => ({ ...role, name: role.name.trim(), description: role.description.trim() }))
    .filter(({ name, description, scopes }) => name !== '' || description !== '' || scopes.length > 0)
}

/** Says for each row what is wrong with its name. A row with nothing in it does not count. */
export function roleProblems(rows: readonly Role[]): (RoleProblem | undefined)[] {
  const seen = new Set<string>()
  return rows.map((row) => {
    const [filled] = filledRoles([row])
    if (filled === undefined) return undefined
    const key = filled.name.toLowerCase()
    if (key === '') return 'missing'
    if (seen.has(key)) return 'twice'
    seen.add(key)
    return /^[^\s,:"'\\]+$/.test(filled.name) ? undefined : 'invalid'
  })
}

/** Whether rows can be sent: nothing is wrong with any. */
export function areSound(rows: readonly Role[]): boolean {
  return roleProblems(rows).every((problem) => problem === undefined)
}

/** The names of roles that are no longer among others, or give fewer scopes there. */
export function narrowedRoles(before: readonly Role[], after: readonly Role[]): string[] {
  const left = new Map(after.map(({ name, scopes }) => [name, new Set(scopes)]))
  return before
    .filter(({ name, scopes }) => {
      const kept = left.get(name)
      return kept === undefined || scopes.some((scope) => !kept.has(scope))
    })
    .map(({ name }) => name)
}
