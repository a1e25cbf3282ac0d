import { words } from './client-changes.ts'

// The resource servers of a row are one text, space-separated, because a URI has no space. Null stands for none.

/** Writes resource servers for a column or a parameter. */
export function resourcesText(identifiers: readonly string[]): string | null {
  return identifiers.length === 0 ? null : identifiers.join(' ')
}

/** Reads a column with resource servers; undefined for none. */
export function readResources(text: string | null): string[] | undefined {
  return text === null ? undefined : text.split(' ').filter((identifier) => identifier !== '')
}

/**
 * The condition that what was granted for one of these resource servers has been revoked since.
 * @param resources the SQL of their text; null for none
 * @param grantedAt the SQL of the time when the grant was given
 */
export const isResourceRevokedSql = (
  resources: string,
  grantedAt: string,
) => `(${resources} is not null and exists (
  select from token.revocations r
  where r.kind = 'resource' and r.id = any(${words(resources)}) and r.issued_before >= ${grantedAt}
))`

/**
 * The condition that a grant has the wanted resource servers, and that none of them was revoked: for no wanted one, that it
 * has none at all.
 * @param row the alias of a row with resources and granted_at
 * @param wanted the parameter with the text of the wanted ones
 */
export const hasResourcesSql = (row: string, wanted: string) => `case when ${wanted}::text is null
  then ${row}.resources is null
  else coalesce(${words(`${wanted}::text`)} <@ ${words(`${row}.resources`)}, false)
    and not ${isResourceRevokedSql(`${wanted}::text`, `${row}.granted_at`)} end`

/** The text of those resource servers of a grant that were not revoked. @param row as for hasResourcesSql */
export const livingResourcesSql = (row: string) => `case when ${row}.resources is not null then coalesce((
  select string_agg(resource, ' ') from unnest(${words(`${row}.resources`)}) as granted (resource)
  where not ${isResourceRevokedSql('resource', `${row}.granted_at`)}
), '') end`
