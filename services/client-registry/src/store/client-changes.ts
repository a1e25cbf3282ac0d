import { isDeepStrictEqual } from 'node:util'
import { type AuditEntry, auditedTransactions } from '@gatehouse/data/audit'
import { holdReservation } from '@gatehouse/data/name-claims'
import type { KeepEvent, KeptEvent } from '@gatehouse/data/pending-events'
import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import type { Actor } from '@gatehouse/kit/actor'
import { storable } from '@gatehouse/kit/storable'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { hasSecret, isPublicMethod } from '@gatehouse/proto/client-authentication'
import { type ClientRole, documentIn, type SentColumns } from '@gatehouse/proto/client-columns'
import { isGeneratedClientId } from '@gatehouse/proto/client-id-documents'
import type { ApplyClientChangeRequest } from '@gatehouse/proto/token/v1'
import type { Changeable, ClientChangeStore } from '../changes/client-change.ts'
import type { Client } from '../clients/client.ts'
import { deleteLocked } from './client-deletion.ts'
import { changed, lock, record } from './locked-client.ts'

type Transaction = Prisma.TransactionClient

/**
 * The clients in PostgreSQL, as administrators change them, or as clients change themselves.
 * @param own whether clients change themselves: where registration is open, strangers do that as often as they like
 */
export function createClientChangeStore(
  database: Pick<Database, 'prisma'>,
  keepEvent: KeepEvent,
  { own = false }: { own?: boolean } = {},
): ClientChangeStore {
  const audited = auditedTransactions(database, 'clients', keepEvent)
  const entryOf = own ? ownEntry : wholeEntry

  return {
    create: ({ disabled = false, ...client }, secretDigest, actor, reservation) =>
      audited(async (transaction, write) => {
        if (reservation !== undefined) await holdReservation(transaction, 'clients', reservation)
        const { clientId } = client
        const { count } = await transaction.client.createMany({
          data: {
            ...client,
            scopeSetBy: client.createdBy,
            disabledAt: disabled ? new Date() : null,
          },
          skipDuplicates: true,
        })
        if (count === 0) return undefined
        if (secretDigest) await transaction.clientSecret.create({ data: { clientId, secretDigest } })
        const after = shown({ ...client, ...(disabled && { disabled }) })
        await write(entryOf(actor, 'client.create', client, { after }))
        // A token service may remember that nobody had the id that somebody chose.
        return reservation === undefined
          ? { client: await record(transaction, clientId), pending: [] }
          : changed(transaction, clientId, false)
      }),

    change: (clientId, decide, actor, endsSelfService) =>
      audited(async (transaction, write) => {
        const client = await lock(transaction, clientId)
        if (client === undefined) return undefined
        const token = await transaction.registrationToken.findUnique({ where: { clientId } })
        const change = decide(client, token?.mayChange === true)
        if (Object.keys(change).length === 0)
          return { client: await record(transaction, clientId), pending: [] }
        const decides = endsSelfService !== undefined && change.scope !== undefined
        const data = { ...columnsOf(change), ...(decides && { scopeSetBy: 'administrator' }) }
        await transaction.client.update({ where: { clientId }, data })
        if (endsSelfService?.(change))
          await transaction.registrationToken.updateMany({ where: { clientId }, data: { mayChange: false } })
        const names = Object.keys(change) as (keyof Changeable)[]
        const before = shown(Object.fromEntries(names.map((name) => [name, client[name]])))
        await write(
          entryOf(actor, 'client.update', { ...client, ...change }, { before, after: shown(change) }),
        )
        const after = await changed(transaction, clientId, change.disabled !== undefined)
        if (!losesAuthority(client, change)) return after
        const own = await addPendingRevocation(transaction, 'clients', { kind: 'own', target: clientId })
        return { ...after, own }
      }),

    delete: (clientId, actor) =>
      audited(async (transaction, write) => {
        const client = await lock(transaction, clientId)
        if (client === undefined) return undefined
        await write(
          entryOf(actor, 'client.delete', client, {
            before: shown({ ...client, tokenEndpointAuthMethod: undefined }),
          }),
        )
        // A revocation for ever would be a row that strangers can leave behind as often as they like.
        return deleteLocked(transaction, clientId, own || !isGeneratedClientId(clientId))
      }),

    rotateSecret: ({ clientId, secretDigest, overlapSeconds }, actor) =>
      audited(async (transaction, write) => {
        const client = await lock(transaction, clientId)
        if (client === undefined) return undefined
        const { tokenEndpointAuthMethod: method } = client
        if (!hasSecret(method)) return isPublicMethod(method) ? 'public' : 'keys'
        const end = await endOldSecrets(transaction, clientId, overlapSeconds)
        await transaction.clientSecret.create({ data: { clientId, secretDigest } })
        const after = { previous_secret_expires_at: end ?? null }
        await write({ actor, action: 'client.secret.rotate', target: clientId, after })
        return changed(transaction, clientId, false)
      }),

    endSecret: ({ clientId, secretId }, actor) =>
      audited(async (transaction, write) => {
        const client = await lock(transaction, clientId)
        if (client === undefined) return undefined
        const { secrets } = await record(transaction, clientId)
        const secret = secrets.find((one) => one.secretId === secretId)
        if (secret === undefined) return 'unknown'
        const { createdAt, expiresAt } = secret
        if (expiresAt === undefined) return 'current'
        await transaction.clientSecret.deleteMany({ where: { clientId, secretId } })
        const before = { secret_created_at: createdAt, secret_expires_at: expiresAt }
        await write({ actor, action: 'client.secret.end', target: clientId, before })
        return changed(transaction, clientId, false)
      }),
  }
}

/** The current state of a changed client, for the token service; undefined when it was deleted. */
export async function findChange(
  clientId: string,
  transaction: Pick<Transaction, 'client'>,
): Promise<ApplyClientChangeRequest | undefined> {
  const row = await transaction.client.findUnique({ where: { clientId } })
  if (row === null) return undefined
  const { revision, scope, grantTypes, disabledAt } = row
  return { clientId, revision, scope, grantTypes, disabled: disabledAt !== null, deleted: false }
}

/** Deletes all secrets. With an overlap it keeps the newest one, sets its expiry and returns that. */
async function endOldSecrets(
  transaction: Transaction,
  clientId: string,
  overlapSeconds: number,
): Promise<Date | undefined> {
  await transaction.$executeRaw`
    delete from clients.client_secrets where client_id = ${clientId} and secret_digest is distinct from (
      select secret_digest from clients.client_secrets
      where client_id = ${clientId} and expires_at is null and ${overlapSeconds}::int > 0
      order by created_at desc limit 1
    )`
  const [kept] = await transaction.$queryRaw<{ expiresAt: Date }[]>`
    update clients.client_secrets
    set expires_at = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => ${overlapSeconds})
    where client_id = ${clientId} returning expires_at as "expiresAt"`
  return kept?.expiresAt
}

/** Whether a change takes a role from a client, or the organization in which it acts for itself. */
function losesAuthority({ metadata }: Client, change: Partial<Changeable>): boolean {
  const left = change.metadata ?? metadata
  if (metadata.organization !== undefined && metadata.organization !== left.organization) return true
  const isLeft = (role: ClientRole) => left.roles?.some((one) => isDeepStrictEqual(one, role))
  return metadata.roles?.some((role) => !isLeft(role)) ?? false
}

function columnsOf({ disabled, ...change }: Partial<Changeable>) {
  return { ...change, ...(disabled !== undefined && { disabledAt: disabled ? new Date() : null }) }
}

type EntryOf = (
  actor: Actor,
  action: 'client.create' | 'client.update' | 'client.delete',
  client: Pick<Client, 'clientId' | 'clientName'>,
  values: Record<string, Record<string, unknown>>,
) => AuditEntry

const wholeEntry: EntryOf = (actor, action, { clientId: target }, values) => ({
  actor,
  action,
  target,
  ...values,
})

/** The audit entry of a change that a client made itself (RFC 7592): with the beginning of each value, and not for ever. */
const ownEntry: EntryOf = (actor, action, client, values) => ({
  ...{ actor, action, target: client.clientId, keptDays: 90 },
  ...shortened(values),
  event: ownEvent(action, client),
})

function ownEvent(
  action: Parameters<EntryOf>[1],
  { clientId, clientName }: Pick<Client, 'clientId' | 'clientName'>,
): KeptEvent {
  if (action === 'client.delete') return { type: 'client_deleted', content: { clientId, metadata: {} } }
  const type = action === 'client.create' ? 'client_registered' : 'client_updated'
  return { type, content: { clientId, metadata: { client_name: clientName } } }
}

/** In characters: how much of a value an audit entry keeps of a change that a client made itself. */
const keptOfValue = 200

/** The same values, with long ones cut. */
function shortened<Values extends Record<string, Record<string, unknown>>>(values: Values): Values {
  const cut = (value: unknown) => {
    const text = JSON.stringify(value) ?? ''
    return text.length <= keptOfValue ? value : `${storable(text.slice(0, keptOfValue))}…`
  }
  const cutAll = (fields: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cut(value)]))
  return Object.fromEntries(Object.entries(values).map(([when, fields]) => [when, cutAll(fields)])) as Values
}

/** A client's fields in an audit entry, with the API's names. */
function shown(client: SentColumns & Partial<Pick<Client, 'disabled'>>): Record<string, unknown> {
  return { ...documentIn(client), disabled: client.disabled }
}
