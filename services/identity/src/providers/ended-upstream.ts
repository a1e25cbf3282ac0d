/** The logins that ended at a provider: one session of it, or all of a person. */
export type EndedUpstream = { upstreamSession: string } | { issuer: string; subject: string }
