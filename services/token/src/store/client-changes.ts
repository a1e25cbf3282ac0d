import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import { grantsWhere } from '@gatehouse/proto/grants'
import type { ClientChangeStore } from '../clients/client-change.ts'

const applySql = `
  insert into token.client_changes as c (client_id, revision, scope, grant_types, disabled, expires_at)
  values ($1, $2, $3, $4, $5, case when $6::float8 is null then 'infinity' else now() + make_interval(secs => $6) end)
  on conflict (client_id) do update set
    revision = excluded.revision, scope = excluded.scope, grant_types = excluded.grant_types,
    disabled = excluded.disabled, expires_at = excluded.expires_at
  where c.revision < excluded.revision`

/** Joins the change of a row's client, if there is one, as `change`: one index look-up for each row, at any table size. */
export const withChangeSql = (row: string) => `
  left join lateral (
    select * from token.client_changes c where c.client_id = ${row}.client_id offset 0
  ) change on true`

/**
 * The condition that a decision by this revision of a client is outdated. That includes a newer revision than the stored one,
 * because introspection uses the stored one.
 */
export const isOutdatedSql = (clientId: string, revision: string) => `exists (
  select from token.client_changes c where c.client_id = ${clientId} and (c.revision <> ${revision} or c.disabled)
)`

/** The words of a text with a scope, with resource servers, or with other names without spaces. */
export const words = (text: string) => `string_to_array(${text}, ' ')`

/** The values of a scope that are among these, in the scope's order. */
export const wordsAmongSql = (scope: string, allowed: string) => `array_to_string(array(
  select word from unnest(${words(scope)}) with ordinality as w (word, position)
  where word = any(${allowed}) order by position
), ' ')`

/** The grants that give tokens of clients, or tokens of users. */
const beginning = (owner: 'client' | 'user') =>
  `array[${grantsWhere(({ tokensOf }) => tokensOf === owner).map((name) => `'${name}'`)}]`

/**
 * The condition that the client of a row joined to its `change` may still have a token like this one.
 * @param grantType the SQL of the grant that gave the row
 */
export const mayHaveTokenSql = (row: string, grantType = `${row}.grant_type`) => `(
  change.client_id is null or (not change.disabled and case when ${row}.user_id is null
    then change.grant_types && ${beginning('client')}
    else change.grant_types && ${beginning('user')} and ${isGrantedSql(grantType, 'change.grant_types')} end)
)`

/** The condition that a client with these grants may still use the grant that gave a row. @param grantType as for mayHaveTokenSql */
export const isGrantedSql = (grantType: string, grantTypes: string) =>
  `(${grantType} is null or ${grantType} = any(${grantTypes}))`

/** The part of a row's scope that the client of the row, joined to its `change`, may still have. */
export const permittedScopeSql = (row: string) =>
  `case when change.client_id is null then ${row}.scope else ${wordsAmongSql(`${row}.scope`, 'change.scope')} end`

/** A revision that no change of an existing client can have. */
const lastRevision = 2n ** 63n - 1n

/**
 * The changes of clients in PostgreSQL.
 * @param keptFor how long a change is kept, in seconds: as long as anything that was granted before it can live. The change of
 *   a disabled client is kept until the client is enabled
 */
export function createClientChangeStore(
  { pool }: Pick<Database, 'pool'>,
  keptFor: number,
): ClientChangeStore {
  return {
    async apply({ clientId, revision, scope, grantTypes, disabled, deleted = false }) {
      const kept = disabled && !deleted ? null : keptFor
      const values = [clientId, revision, scope.split(' '), [...grantTypes], disabled, kept]
      await translateDatabaseErrors(pool.query(applySql, values))
    },
    async end(clientId) {
      const values = [clientId, lastRevision, [], [], true, keptFor]
      await translateDatabaseErrors(pool.query(applySql, values))
    },
  }
}
