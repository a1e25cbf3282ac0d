/** A person at a provider. */
type Person = { issuer: string; subject: string }

/**
 * The logins that ended at a provider: one session of it, with those of its person of which no session is known, or all of a person.
 */
export type EndedUpstream = ({ upstreamSession: string } & Partial<Person>) | Person
