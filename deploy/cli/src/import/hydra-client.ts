import type { ImportedClient } from '@gatehouse/admin-api/generated/openapi'
import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import type { Prepared } from './prepared.ts'

type HydraClient = Readonly<Record<string, unknown>>

/** The fields that have the same name and meaning in an export of Hydra: those of RFC 7591. */
const sameFields = [
  'client_id',
  'client_secret',
  'client_name',
  'redirect_uris',
  'grant_types',
  'scope',
  'token_endpoint_auth_method',
  'created_at',
  ...clientFieldEntries.map(([name]) => name),
]

/** Turns a client of Hydra into one for the API. What Gatehouse has no place for is left out. */
export function hydraClient(value: unknown): Prepared<ImportedClient> {
  const client: HydraClient = Object(value)
  const same = sameFields.map((name) => [name, client[name]]).filter(([, field]) => isSet(field))
  const item = { ...Object.fromEntries(same), ...durationsOf(client) }
  const audience = [client.audience].flat().filter(isSet)
  return {
    name: typeof client.client_id === 'string' ? client.client_id : '',
    item: { ...item, ...(client.skip_consent === true && { first_party: true }) },
    note: audience.length === 0 ? '' : 'Its audience was left out: add resource servers instead.',
  }
}

/** Hydra writes what is not set as an empty text or list, or as null. */
function isSet(field: unknown): boolean {
  if (Array.isArray(field)) return field.length > 0
  return field !== undefined && field !== null && field !== ''
}

/** The fields that Hydra has as durations, one for each grant: those of the client's first grant. */
function durationsOf(client: HydraClient): Partial<ImportedClient> {
  const grant = [client.grant_types].flat()[0]
  if (typeof grant !== 'string') return {}
  const found = clientFieldEntries.flatMap(([name, { hydra }]) => {
    const seconds = hydra && secondsOf(client[`${grant}_grant_${hydra}`])
    return seconds === undefined ? [] : [[name, seconds]]
  })
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
