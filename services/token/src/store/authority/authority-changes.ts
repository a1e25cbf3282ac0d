import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import {
  authorityAtResource,
  authorityOfAll,
  authorityOfRoles,
  authorityOfUser,
} from '@gatehouse/proto/authority'
import type { AuthorityChangeStore } from '../../authority/authority-change.ts'
import { words } from '../client-changes.ts'

// A change that is delivered late must be kept for tokens that were issued until it came, as revocations are.
const applySql = `
  insert into token.authority_changes as a (key, revision, expires_at)
  values ($1, $2, now() + make_interval(secs => $3::float8))
  on conflict (key) do update set
    revision = greatest(a.revision, excluded.revision), expires_at = greatest(a.expires_at, excluded.expires_at)`

/** The SQL of a text that is made of SQL. */
const sql = (text: string) => `'${text}'`
const within = (value: string) => `' || ${value} || '`

/**
 * The condition that a role or a group was taken since an access token was made by roles or groups. A token that they do not concern has
 * neither revision, and nothing is looked up for it.
 * @param row the alias of a row of token.access_tokens
 */
export function isAuthorityOutdatedSql(row: string): string {
  const organization = within(`coalesce(${row}.organization_id, '')`)
  const each = (key: string) => `select ${sql(key)} from unnest(${words(`${row}.resources`)}) as resource`
  const ofUser = sql(authorityOfUser(within(`${row}.user_id`)))
  const ofAll = sql(authorityOfAll(organization))
  const isOlder = (revision: string, keys: string) => `(${row}.${revision} is not null and exists (
    select from token.authority_changes newer where newer.key = any(${keys}) and newer.revision > ${row}.${revision}
  ))`
  return `(${isOlder(
    'authority_revision',
    `array[${ofUser}, ${ofAll}] || array(${each(authorityAtResource(within('resource'), organization))})`,
  )} or ${isOlder('roles_revision', `array(${each(authorityOfRoles(within('resource')))})`)})`
}

/**
 * The changes of roles and groups in PostgreSQL.
 * @param keptFor how long a change is kept, in seconds: as long as an access token that was made before it can live
 */
export function createAuthorityChangeStore(
  { pool }: Pick<Database, 'pool'>,
  keptFor: number,
): AuthorityChangeStore {
  return {
    async apply({ key, revision }) {
      await translateDatabaseErrors(pool.query(applySql, [key, revision, keptFor]))
    },
  }
}
