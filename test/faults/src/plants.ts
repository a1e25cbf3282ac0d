import { Client } from 'pg'
import type { Plan } from './faults.ts'
import type { World } from './world.ts'

/** A fault that is put into the system, so that it can be seen whether it is found. */
export type Plant = {
  /** What is wrong then, for people. */
  what: string
  /** The rule of the history that must find it. */
  rule: string
  /** The file in which a text is replaced when a process loads it. */
  edit?: { file: string; text: string; by: string }
  /** What is done to the database before the load begins. */
  sql?: string
  /** The fault of a process with which it shows. */
  first?: Pick<Plan, 'target' | 'harm'>
}

/** All planted faults, by name. */
export const plants: Record<string, Plant> = {
  'read-then-write': {
    what: 'A code is looked at and redeemed in two steps, without a lock between them.',
    rule: 'a code has one winner',
    edit: {
      file: 'services/token/src/store/authorization-codes.ts',
      text: 'a.code_digest = k.digest for no key update',
      by: 'a.code_digest = k.digest',
    },
  },
  'unlogged-insert': {
    what: 'Tokens are answered before they are durable: their table is not in PostgreSQL’s log.',
    rule: 'a token that was answered is active',
    sql: `do $$ declare name text; begin
      for name in select inhrelid::regclass::text from pg_inherits where inhparent = 'token.access_tokens'::regclass loop
        execute 'alter table ' || name || ' set unlogged';
      end loop;
    end $$`,
    first: { target: 'postgresql', harm: 'killed' },
  },
  'endless-cache': {
    what: 'A replica of the token service remembers without a limit that a token is active.',
    rule: 'a token that was revoked is not active',
    edit: {
      file: 'services/token/src/store/access-tokens.ts',
      text: 'export function createAccessTokenStore(',
      by: `export function createAccessTokenStore(deps) {
        const store = createForgetfulStore(deps)
        const known = new Map()
        const findLive = async (key) => {
          if (!known.has(key.jti)) known.set(key.jti, await store.findLive(key))
          return known.get(key.jti)
        }
        return { ...store, findLive }
      }
      function createForgetfulStore(`,
    },
  },
  'forgiven-reuse': {
    what: 'A code or a refresh token that is used again is refused, and its family lives on.',
    rule: 'a token that was revoked is not active',
    edit: {
      file: 'services/token/src/grants/reuse.ts',
      text: "await revocations.add({ kind: 'grant', id: grantId, issuedBefore: 'now' })",
      by: 'void revocations',
    },
  },
  'forgotten-event': {
    what: 'One in twenty events is answered as accepted and stored nowhere.',
    rule: 'an event that was accepted is delivered',
    edit: {
      file: 'services/events/src/store/outbox.ts',
      text: 'cross join unnest($4::text[]) backend',
      by: 'cross join unnest($4::text[]) backend where random() > 0.05',
    },
  },
  'unordered-events': {
    what: 'The oldest events that wait are not sent first.',
    rule: 'events of one sender arrive in order',
    edit: {
      file: 'services/events/src/store/outbox.ts',
      text: 'order by outbox.position limit $2',
      by: 'order by outbox.position desc limit $2',
    },
  },
  'unwritten-audit': {
    what: 'Half of the actions of administrators are missing in the audit log.',
    rule: 'an action of an administrator is in the audit log',
    edit: {
      file: 'services/data/src/audit.ts',
      text: 'await addAuditEntry(transaction, schema, entry)',
      by: 'if (Math.random() < 0.5) await addAuditEntry(transaction, schema, entry)',
    },
  },
  'hasty-key': {
    what: 'A new key signs at once, and not only when every verifier has it.',
    rule: 'a verifier has the key of every token',
    edit: {
      file: 'services/token/src/key-rotation.ts',
      text: 'store.stage(pair, durations.staged, actor)',
      by: 'store.stage(pair, 0, actor)',
    },
  },
}

/** Plants what is done to the database. */
export async function plantInDatabase({ sql }: Plant, { postgres }: Pick<World, 'postgres'>): Promise<void> {
  if (sql === undefined) return
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}
