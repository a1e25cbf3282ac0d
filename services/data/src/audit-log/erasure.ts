import type { Actor } from '@gatehouse/kit/actor'
import type { Audited, AuditedSchema } from '../audit.ts'

/** The text that stands in the place of what was erased. */
export const erasedMark = 'erased'

type Transaction = Parameters<Parameters<Audited>[0]>[0]

type Changed = { id: string }

// Each value of the object, whatever it is. An object without any has no row here.
const erased = (column: string) => `
  coalesce((select jsonb_object_agg(key, '"${erasedMark}"'::jsonb) from jsonb_each(${column})), ${column})`

// The text of a contact is free: the address may stand between brackets, or behind a scheme. A long list of them is one text, see `shortened`
// in services/client-registry/src/store/client-changes.ts.
const named = (contact: string) =>
  `regexp_split_to_array(lower(${contact}), '[^[:alnum:]@._%+-]+') && $1::text[]`
const withoutContact = (column: string) => `
  case jsonb_typeof(${column} -> 'contacts')
    when 'array' then jsonb_set(${column}, '{contacts}', (
      select coalesce(jsonb_agg(case when ${named('contact')} then '${erasedMark}' else contact end order by place), '[]')
      from jsonb_array_elements_text(${column} -> 'contacts') with ordinality as c (contact, place)
    ))
    when 'string' then case when ${named(`${column} ->> 'contacts'`)}
      then jsonb_set(${column}, '{contacts}', '"${erasedMark}"') else ${column} end
    else ${column}
  end`

/** The object with the mark in a field, if the field's text is one of a parameter's, in lower case. */
const withoutField = (column: string, field: string, texts: string) => `
  case when lower(${column} ->> '${field}') = any(${texts}::text[])
    then jsonb_set(${column}, '{${field}}', '"${erasedMark}"') else ${column} end`

/** How many entries of the user as actor one transaction changes. */
const actorEntriesAtOnce = 2_000

/**
 * Replaces by a mark what a log says of a user who was deleted: their name, addresses and browsers where they are the actor, the values
 * before and after of what was done to them, and their address among the contacts of clients. The entries stay, with their time, action,
 * target and the id of their actor, and so does what they say of others. The log gets an entry about it, unless there was nothing to erase.
 * Somebody who acted very often takes several transactions, each with its entry: if the caller stops waiting, the next call goes on.
 * @param user their id, and an address of theirs: entries about invitations to it are theirs too, as those to addresses that entries name.
 *   Of an invitation to an organization the address alone is theirs
 * @returns how many entries were changed
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function eraseUser(
  audited: Audited,
  schema: AuditedSchema,
  user: { userId: string; email: string | undefined },
  actor: Actor,
): Promise<number> {
  let entries = 0
  for (let round = 1; ; round++) {
    const { changed, more } = await audited(async (transaction, write) => {
      // With the first entries of them as actor: those tell a name that others contain.
      const others = round === 1 ? await eraseValues(transaction, schema, user) : []
      const asActor = await eraseActor(transaction, schema, user.userId)
      const changed = new Set([...others, ...asActor]).size
      if (changed > 0)
        await write({ actor, action: 'user.erase', target: user.userId, after: { entries: changed } })
      return { changed, more: asActor.length === actorEntriesAtOnce }
    })
    entries += changed
    if (!more) return entries
  }
}

/** @returns the ids of the entries */
async function eraseActor(
  transaction: Transaction,
  schema: AuditedSchema,
  userId: string,
): Promise<string[]> {
  const log = `${schema}.audit_log`
  const rows = await transaction.$queryRawUnsafe<Changed[]>(
    `update ${log} set actor_name = $3, ip_address = $3, user_agent = case when user_agent is not null then $3 end
    where entry_id in (
      select entry_id from ${log} where actor_kind = 'user' and actor_id = $1
        and (actor_name, ip_address, coalesce(user_agent, $3)) is distinct from ($3, $3, $3)
      limit $2
    ) returning entry_id::text as id`,
    userId,
    actorEntriesAtOnce,
    erasedMark,
  )
  return rows.map(({ id }) => id)
}

/** @returns the ids of the entries */
async function eraseValues(
  transaction: Transaction,
  schema: AuditedSchema,
  { userId, email }: { userId: string; email: string | undefined },
): Promise<string[]> {
  const log = `${schema}.audit_log`
  // A client that was imported may have the id of a user.
  const known = await transaction.$queryRawUnsafe<{ email: string | null; name: string | null }[]>(
    `select lower(state ->> 'email') as email, state ->> 'username' as name
    from ${log} cross join unnest(array[before, after]) as state where target = $1 and action like 'user.%'
    union select null, actor_name from ${log} where actor_kind = 'user' and actor_id = $1`,
    userId,
  )
  const emails = [email?.toLowerCase(), ...known.map((state) => state.email)].filter(isValue)
  const names = known.map(({ name }) => name).filter(isValue)
  const asTarget = await transaction.$queryRawUnsafe<Changed[]>(
    `update ${log} set before = ${erased('before')}, after = ${erased('after')}
    where (target = $1 and action like 'user.%' and action <> 'user.erase'
        or action like 'user.invite%' and lower(coalesce(before, after) ->> 'email') = any($2::text[]))
      and (before is distinct from ${erased('before')} or after is distinct from ${erased('after')})
    returning entry_id::text as id`,
    userId,
    emails,
  )
  // The rest of such an entry is about the organization.
  const invitations = await transaction.$queryRawUnsafe<Changed[]>(
    `update ${log} set before = ${withoutField('before', 'email', '$1')}, after = ${withoutField('after', 'email', '$1')}
    where action like 'organization.invit%' and lower(coalesce(before, after) ->> 'email') = any($1::text[])
    returning entry_id::text as id`,
    emails,
  )
  const inviters = await transaction.$queryRawUnsafe<Changed[]>(
    `update ${log} set after = ${withoutField('after', 'invited_by', '$1')}
    where action = 'organization.join' and lower(after ->> 'invited_by') = any($1::text[])
    returning entry_id::text as id`,
    names.map((name) => name.toLowerCase()),
  )
  // An import names the administrators among its users.
  const imports = await transaction.$queryRawUnsafe<Changed[]>(
    `update ${log} set after = jsonb_set(after, '{administrators}', (
      select jsonb_agg(case when name = any($1::text[]) then '${erasedMark}' else name end)
      from jsonb_array_elements_text(after -> 'administrators') as name
    ))
    where action = 'users.import' and after -> 'administrators' ?| $1::text[] returning entry_id::text as id`,
    names,
  )
  const found = [...asTarget, ...invitations, ...inviters, ...imports]
  if (emails.length === 0) return found.map(({ id }) => id)
  const contacts = await transaction.$queryRawUnsafe<Changed[]>(
    `update ${log} set before = ${withoutContact('before')}, after = ${withoutContact('after')}
    where action like 'client.%'
      and (before is distinct from ${withoutContact('before')} or after is distinct from ${withoutContact('after')})
    returning entry_id::text as id`,
    emails,
  )
  return [...found, ...contacts].map(({ id }) => id)
}

function isValue(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && text !== '' && text !== erasedMark
}
