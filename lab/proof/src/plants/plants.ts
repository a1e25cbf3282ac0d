import { checkNames } from '../checker/names.ts'
import type { FaultKind } from '../history/fault.ts'

/** A defect that is planted from outside, to show that the checker finds it. */
export type Plant = {
  name: string
  /** The fault that it plants, in words. */
  what: string
  /** The name of a check that must find it. */
  foundBy: string
  /** A text of a service's file that is replaced when a process loads it. */
  replaced?: { file: string; from: string; to: string }
  /** Statements that are run when the system has started. */
  statements?: readonly string[]
  /** Whether the broker keeps its stream in memory alone. */
  forgetfulBroker?: boolean
  /** Without which fault nothing is wrong: it happens first. */
  needs?: FaultKind
}

/** The defects. */
export const plants: readonly Plant[] = [
  {
    name: 'code-read-then-write',
    what: 'A redemption reads the code without locking its row, then writes: two at once may both win.',
    foundBy: checkNames.codes,
    replaced: {
      file: 'services/token/src/store/authorization-codes.ts',
      from: 'from token.authorization_codes a where a.code_digest = k.digest for no key update',
      to: 'from token.authorization_codes a where a.code_digest = k.digest',
    },
  },
  {
    name: 'tokens-unlogged',
    what: 'Tokens are answered before they are on disk: their table is unlogged, and a crash of PostgreSQL empties it.',
    foundBy: checkNames.stored,
    needs: { target: 'postgresql', harm: 'killed' },
    statements: [
      `do $$ declare part regclass; begin
        for part in select inhrelid::regclass from pg_inherits where inhparent = 'token.access_tokens'::regclass loop
          execute format('alter table %s set unlogged', part);
        end loop;
      end $$`,
    ],
  },
  {
    name: 'introspection-cached',
    what: 'A replica keeps what it found active in a cache without a limit: a revoked token stays active.',
    foundBy: checkNames.revoked,
    replaced: {
      file: 'services/token/src/tokens/active-token.ts',
      from: 'const live = await store.findLive({ expiresAt: claims.exp, jti: claims.jti })',
      to: `const cache = ((globalThis as any).planted ??= new Map())
  if (!cache.has(claims.jti)) {
    const found = await store.findLive({ expiresAt: claims.exp, jti: claims.jti })
    if (found) cache.set(claims.jti, found)
  }
  const live = cache.get(claims.jti)`,
    },
  },
  {
    name: 'reuse-forgiven',
    what: 'A reused refresh token is refused, but its family goes on.',
    foundBy: checkNames.families,
    replaced: {
      file: 'services/token/src/grants/reuse.ts',
      from: "await revocations.add({ kind: 'grant', id: grantId, issuedBefore: 'now' })",
      to: 'await Promise.resolve()',
    },
  },
  {
    name: 'events-in-memory',
    what: 'The broker keeps the stream in memory alone: events are lost when it is killed.',
    foundBy: checkNames.events,
    forgetfulBroker: true,
    needs: { target: 'nats', harm: 'killed' },
  },
  {
    name: 'events-reversed',
    what: 'The outbox delivers the newest event first.',
    foundBy: checkNames.order,
    replaced: {
      file: 'services/events/src/store/outbox.ts',
      from: 'order by summed.position)',
      to: 'order by summed.position desc)',
    },
  },
  {
    name: 'audit-skipped',
    what: 'The end of all tokens of a user or a client leaves no audit entry.',
    foundBy: checkNames.audit,
    replaced: {
      file: 'services/data/src/audit.ts',
      from: 'await addAuditEntry(transaction, schema, { entryId, ...entry })',
      to: "if (entry.action !== 'tokens.end') await addAuditEntry(transaction, schema, { entryId, ...entry })",
    },
  },
  {
    name: 'key-unpublished',
    what: 'A new key signs before verifiers can have it: it is staged for no time.',
    foundBy: checkNames.keys,
    replaced: {
      file: 'services/token/src/keys/key-rotation.ts',
      from: 'staged: signsUnread + keySetMaxAge',
      to: 'staged: 0 * (signsUnread + keySetMaxAge)',
    },
  },
  {
    name: 'logout-hurried',
    what: 'A logout is due again at once while its client is being told: clients are told twice.',
    foundBy: checkNames.logouts,
    replaced: {
      file: 'services/token/src/store/backchannel-logouts.ts',
      from: 'make_interval(secs => 10 * 2 ^ least(attempts, 10))',
      to: 'make_interval(secs => 0 * 2 ^ least(attempts, 10))',
    },
  },
  {
    name: 'mail-renamed',
    what: 'A mail gets another id each time it is sent.',
    foundBy: checkNames.mails,
    replaced: {
      file: 'services/identity/src/mail/smtp-transport.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file
      from: 'messageId: `<${id}@',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: likewise
      to: 'messageId: `<${id.slice(0, -4)}${String(Date.now()).slice(-4)}@',
    },
  },
]

/** The variables with which each process plants a defect in itself. */
export function plantVariables(plant: Plant | undefined): Record<string, string> {
  return plant?.replaced ? { GATEHOUSE_PROOF_PLANT: JSON.stringify(plant.replaced) } : {}
}
