import type { ImportedClient } from '@gatehouse/admin-api/generated/openapi'
import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import {
  type Findings,
  type Foreign,
  goThrough,
  isSet,
  noteOf,
  nothingFound,
  shown,
} from './fields/fields.ts'
import { hydraClientFields, sameFields } from './fields/hydra-client-fields.ts'
import { sortOrigins } from './origins.ts'
import type { Prepared } from './prepared.ts'

/** Turns a client of Hydra into one for the API. Fields that Gatehouse has no place for are left out, and named. */
export function hydraClient(value: unknown): Prepared<ImportedClient> {
  const client: Foreign = Object(value)
  const findings = nothingFound()
  const same = sameFields.map((name) => [name, client[name]]).filter(([, field]) => isGiven(field))
  const durations = durationsOf(client, findings)
  const others = Object.entries(client).filter(([name]) => !isLifespan(name))
  goThrough(Object.fromEntries(others), hydraClientFields, findings)
  judge(client, findings)
  const { client_secret: secret, ...item } = { ...Object.fromEntries(same), ...durations }
  const { origins } = corsOriginsOf(client)
  const keepsSecret = secret !== undefined && !expires(client)
  return {
    name: typeof client.client_id === 'string' ? client.client_id : '',
    item: {
      ...item,
      ...(origins.length > 0 && { allowed_origins: origins }),
      ...(keepsSecret && { client_secret: secret }),
      ...(client.skip_consent === true && { first_party: true }),
      ...(findings.holds.length > 0 && { disabled: true }),
    },
    note: noteOf(findings),
    ...(findings.unneeded.length > 0 && { unneeded: findings.unneeded }),
  }
}

/** Hydra writes a field of RFC 7591 that is not set as an empty text or list, or as null. */
const isGiven = (field: unknown) =>
  field !== undefined &&
  field !== null &&
  field !== '' &&
  !(typeof field === 'object' && Object.keys(field).length === 0)

const expires = ({ client_secret_expires_at: at }: Foreign) => at !== 0 && isSet(at)

/** Values that are no texts are no origins either. */
const corsOriginsOf = ({ allowed_cors_origins: sent }: Foreign) =>
  sortOrigins(
    [sent]
      .flat()
      .filter(isSet)
      .map((one) => (typeof one === 'string' ? one : shown(one))),
  )

/** Fields whose meaning depends on their value. */
function judge(client: Foreign, { notes, holds }: Findings): void {
  if ([client.audience].flat().some(isSet))
    notes.push('Its audience was left out: add resource servers instead.')
  const patterns = corsOriginsOf(client).others.map(shown).join(', ')
  if (patterns) notes.push(`allowed_cors_origins: left out what is no origin alone: ${patterns}.`)
  const responseTypes = [client.response_types].flat().filter((type) => isSet(type) && type !== 'code')
  if (responseTypes.length > 0)
    notes.push(`response_types: here there is only code; left out ${responseTypes.map(shown).join(', ')}.`)
  if (isSet(client.subject_type) && client.subject_type !== 'public')
    holds.push(
      'subject_type: its users had pairwise subjects: here their `sub` is another, so the app takes them for new users.',
    )
  if (expires(client))
    notes.push('client_secret_expires_at: secrets do not expire here, so it gets a new one.')
  if (typeof client.client_id === 'string' && 'scope' in client && !isSet(client.scope))
    holds.push('scope: it had none, and has the default scope here.')
}

const isLifespan = (name: string) => /_lifespan$/.test(name)

/**
 * The fields that Hydra has as durations, one for each grant: the shortest of those of the client's grants, since it has one for all
 * here. The others are named.
 */
function durationsOf(client: Foreign, { notes, holds }: Findings): Partial<ImportedClient> {
  const grants = [client.grant_types].flat().filter((grant) => typeof grant === 'string')
  const read = new Set<string>()
  const found = clientFieldEntries.flatMap(([name, { hydra }]) => {
    if (hydra === undefined) return []
    const fields = grants.map((grant) => `${grant}_grant_${hydra}`).filter((field) => isSet(client[field]))
    const seconds = fields.flatMap((field) => secondsOf(client[field]) ?? [])
    for (const field of fields) {
      read.add(field)
      const given = secondsOf(client[field])
      if (given === undefined) holds.push(`${field}: it is no duration, and left out.`)
      else if (given !== Math.min(...seconds))
        notes.push(`${field}: the shortest of its lifetimes is for all its grants.`)
    }
    return seconds.length === 0 ? [] : [[name, Math.min(...seconds)]]
  })
  for (const [name, value] of Object.entries(client))
    if (isLifespan(name) && isSet(value) && !read.has(name))
      notes.push(
        `${shown(name)}: such lifetimes are set for the whole server, or belong to a grant that it does not have.`,
      )
  return Object.fromEntries(found)
}

/** Reads a duration as Go writes it, such as 1h30m0s. @returns undefined for anything else */
function secondsOf(duration: unknown): number | undefined {
  if (typeof duration !== 'string') return undefined
  const [whole, hours = 0, minutes = 0, seconds = 0] =
    /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ?? []
  if (!whole) return undefined
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
}
