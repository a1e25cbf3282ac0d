import type { Pool } from 'pg'

/** The models whose records end together with a grant. */
const ofGrants = new Set([
  'AccessToken',
  'AuthorizationCode',
  'RefreshToken',
  'DeviceCode',
  'BackchannelAuthenticationRequest',
])

type Row = { payload: object; consumed_at: Date | null }

/**
 * Stores the records of oidc-provider in PostgreSQL, as the adapters among its examples do in other databases: one table, one row
 * for each record, and an index for each way in which a record is found. All statements are prepared.
 * @returns the class that the provider makes an adapter of for each of its models
 */
export async function postgresAdapter(pool: Pool) {
  await pool.query(`
    create table if not exists records (
      model text not null, id text not null, payload jsonb not null, grant_id text, uid text, user_code text,
      expires_at timestamptz, consumed_at timestamptz, primary key (model, id)
    );
    create index if not exists records_grant on records (grant_id) where grant_id is not null;
    create index if not exists records_uid on records (uid) where uid is not null`)
  const query = (name: string, text: string, values: unknown[]) =>
    pool.query<Row>({ name, text, values }).then(({ rows }) => rows)
  const found = ([row]: Row[]) =>
    row && {
      ...row.payload,
      ...(row.consumed_at && { consumed: Math.floor(row.consumed_at.getTime() / 1000) }),
    }
  const alive =
    'select payload, consumed_at from records where model = $1 and (expires_at is null or expires_at > now())'

  return class {
    readonly model: string

    constructor(model: string) {
      this.model = model
    }

    async upsert(id: string, payload: Record<string, unknown>, expiresIn: number | undefined): Promise<void> {
      const text = `insert into records (model, id, payload, grant_id, uid, user_code, expires_at)
        values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7::float8))
        on conflict (model, id) do update set payload = excluded.payload, expires_at = excluded.expires_at`
      const grantId = ofGrants.has(this.model) ? payload.grantId : undefined
      const { uid, userCode } = payload
      await query('upsert', text, [this.model, id, payload, grantId, uid, userCode, expiresIn])
    }

    async find(id: string) {
      return found(await query('find', `${alive} and id = $2`, [this.model, id]))
    }

    async findByUid(uid: string) {
      return found(await query('find_by_uid', `${alive} and uid = $2`, [this.model, uid]))
    }

    async findByUserCode(code: string) {
      return found(await query('find_by_user_code', `${alive} and user_code = $2`, [this.model, code]))
    }

    async consume(id: string): Promise<void> {
      await query('consume', 'update records set consumed_at = now() where model = $1 and id = $2', [
        this.model,
        id,
      ])
    }

    async destroy(id: string): Promise<void> {
      await query('destroy', 'delete from records where model = $1 and id = $2', [this.model, id])
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      await query('revoke', 'delete from records where model = $1 and grant_id = $2', [this.model, grantId])
    }
  }
}
