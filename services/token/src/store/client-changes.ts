import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import { grantsWhere } from '@gatehouse/proto/grants'
import type { ClientChangeStore } from '../client-change.ts'

const applySql = `
  insert into token.client_changes as c (client_id, revision, scope, grant_types, disabled, expires_at)
  values ($1, $2, $3, $4, $5, case when $6::float8 is null then 'infinity' else now() + make_interval(secs => $6) end)
  on conflict (client_id) do update set
    revision = excluded.revision, scope = excluded.scope, grant_types = excluded.grant_types,
    disabled = excluded.disabled, expires_at = excluded.expires_at
  where c.revision < excluded.revision`

/** The change of a row's client, if there is one, as `change`: one look into an index for each row, at any table size. */
export const withChangeSql = (row: string) => `
  left join lateral (
    select * from token.client_changes c where c.client_id = ${row}.client_id offset 0
  ) change on true`

/**
 * The condition that a decision by this revision of a client is out of date. By a newer one than is known here, too: what is
 * known here says what the tokens are good for.
 */
export const isOutdatedSql = (clientId: string, revision: string) => `exists (
  select from token.client_changes c where c.client_id = ${clientId} and (c.revision <> ${revision} or c.disabled)
)`

/** The words of a scope that are among these, in their order. */
export const wordsAmongSql = (scope: string, allowed: string) => `array_to_string(array(
  select word from unnest(string_to_array(${scope}, ' ')) with ordinality as w (word, position)
  where word = any(${allowed}) order by position
), ' ')`

/** The grants that can have given a client's own token, or a user's. */
const beginning = (owner: 'client' | 'user') =>
  `array[${grantsWhere(({ tokensOf }) => tokensOf === owner).map((name) => `'${name}'`)}]`

/** The condition that the client of a row joined to its `change` may still have tokens of its kind. */
export const mayHaveTokenSql = (row: string) => `(
  change.client_id is null or (not change.disabled and case when ${row}.user_id is null
    then change.grant_types && ${beginning('client')}
    else change.grant_types && ${beginning('user')} and ${isGrantedSql(row, 'change.grant_types')} end)
)`

/** The condition that a client with these grants may still have what the grant of a row gave. */
export const isGrantedSql = (row: string, grantTypes: string) =>
  `(${row}.grant_type is null or ${row}.grant_type = any(${grantTypes}))`

/** What the client of a row joined to its `change` may still have of the row's scope. */
export const permittedScopeSql = (row: string) =>
  `case when change.client_id is null then ${row}.scope else ${wordsAmongSql(`${row}.scope`, 'change.scope')} end`

/** What no change of a client that is there can have. */
const lastRevision = 2n ** 63n - 1n

/**
 * The changes of clients in PostgreSQL.
 * @param keptFor as long as anything can be alive that was granted before a change, in seconds. While a client is disabled, its
 *   change is kept
 */
export function createClientChangeStore(
  { pool }: Pick<Database, 'pool'>,
  keptFor: number,
): ClientChangeStore {
  return {
    async apply({ clientId, revision, scope, grantTypes, disabled }) {
      const kept = disabled ? null : keptFor
      const values = [clientId, revision, scope.split(' '), [...grantTypes], disabled, kept]
      await translateDatabaseErrors(pool.query(applySql, values))
    },
    async end(clientId) {
      const values = [clientId, lastRevision, [], [], true, keptFor]
      await translateDatabaseErrors(pool.query(applySql, values))
    },
  }
}
