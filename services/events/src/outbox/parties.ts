import type { Envelope } from '../envelopes/envelope.ts'

/** The client and the user that an event is about. Events that share one of them are delivered in their order. */
export type Parties = {
  /** The client. Of an event about neither a client nor a user: its source and its subject, if it names them. */
  client?: string | undefined
  user?: string | undefined
}

/** The parties of an event from outside. */
export function partiesOf({ event, attributes }: Pick<Envelope, 'event' | 'attributes'>): Parties {
  const { client_id: client, user_id: user } = event
  const { source, subject = '' } = attributes
  // No id has a line break: `text` of json-fields.ts refuses it.
  const origin = source === undefined ? undefined : `${source}\n${subject}`
  return { client: client ?? (user === undefined ? origin : undefined), user }
}

/** The parties as texts. */
export function partyNames({ client, user }: Parties): string[] {
  return Object.entries({ client, user }).flatMap(([kind, id]) => (id ? [`${kind} ${id}`] : []))
}
