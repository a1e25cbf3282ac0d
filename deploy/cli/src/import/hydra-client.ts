import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import type { ImportedClient } from '../generated/openapi.ts'
import type { Prepared } from './prepared.ts'

type HydraClient = Readonly<Record<string, unknown>>

/** The fields that have the same name and meaning in an export of Ory Hydra: both are those of RFC 7591. */
const sameFields = [
  ...['client_id', 'client_secret', 'client_name', 'redirect_uris', 'grant_types', 'scope'],
  ...['token_endpoint_auth_method', 'created_at'],
  ...clientFieldEntries.map(([name]) => name),
]

/** Turns a client of Hydra into one for the API. What Gatehouse has no place for is left out. */
export function hydraClient(value: unknown): Prepared<ImportedClient> {
  const client: HydraClient = Object(value)
  const same = sameFields.map((name) => [name, client[name]]).filter(([, field]) => isSet(field))
  const lifetime = secondsOf(lifespanOf(client))
  const item = {
    ...Object.fromEntries(same),
    ...(client.skip_consent === true && { first_party: true }),
    ...(lifetime !== undefined && { access_token_lifetime: lifetime }),
  }
  const audience = [client.audience].flat().filter(isSet)
  return {
    name: typeof client.client_id === 'string' ? client.client_id : '',
    item,
    note: audience.length === 0 ? '' : 'Its audience was left out: add resource servers instead.',
  }
}

/** Hydra writes what is not set as an empty text or list, or as null. */
function isSet(field: unknown): boolean {
  if (Array.isArray(field)) return field.length > 0
  return field !== undefined && field !== null && field !== ''
}

/** The lifetime of access tokens; Hydra has one for each grant. */
function lifespanOf(client: HydraClient): unknown {
  const ofCode = client.authorization_code_grant_access_token_lifespan
  return isSet(ofCode) ? ofCode : client.client_credentials_grant_access_token_lifespan
}

/** Reads a duration as Go writes it, such as 1h30m0s. @returns undefined for anything else */
function secondsOf(duration: unknown): number | undefined {
  if (typeof duration !== 'string') return undefined
  const [whole, hours = 0, minutes = 0, seconds = 0] =
    /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ?? []
  if (!whole) return undefined
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
}
