import type { Envelope } from './envelope.ts'

/** The client and the user that an event is about; empty for none. Events that share one are delivered in their order. */
export type Parties = { client: string; user: string }

/** The parties of an event from outside. */
export function partiesOf({ event }: Pick<Envelope, 'event'>): Parties {
  return { client: event.client_id ?? '', user: event.user_id ?? '' }
}

/** The parties as texts. Events about neither share a party of their own. */
export function partyNames({ client, user }: Parties): string[] {
  const names = Object.entries({ client, user }).flatMap(([kind, id]) => (id ? [`${kind} ${id}`] : []))
  return names.length === 0 ? [''] : names
}
