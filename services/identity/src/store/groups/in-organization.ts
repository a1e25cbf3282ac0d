import type { InOrganization } from '../../organizations/acting.ts'

/**
 * The SQL condition that something counts in an organization, or in the instance. PostgreSQL guesses that `is not distinct from` lets
 * hardly a row through, and then reads the whole table of a long list.
 * @param column that of the organization
 */
export function inOrganizationSql(
  column: string,
  organization: InOrganization,
  parameter: (value: unknown) => string,
): string {
  return organization === undefined ? `${column} is null` : `${column} = ${parameter(organization)}`
}
