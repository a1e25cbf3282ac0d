/** A login of a session, as far as it decides where it counts. */
export type CountingLogin = {
  authenticatedAt: Date | undefined
  /** How they logged in (RFC 8176). */
  methods: readonly string[]
  /** The connection by which they logged in; undefined for any other way. */
  connectionId: string | undefined
}

/** A login by a connection of an organization. */
export type OrganizationLogin = CountingLogin & { organizationId: string }

/** The logins of a session, all of one user. */
export type SessionLogins = {
  /** By a way of the instance; undefined when there is none. */
  own: CountingLogin | undefined
  ofOrganizations: readonly OrganizationLogin[]
}

/** The organization in which a login must count. */
export type LoginPolicy = {
  organizationId: string
  /** Whether only logins by its own connections count for this member. */
  ssoRequired: boolean
}

/**
 * The login of a session that counts for an organization, or for none. Whoever controls a connection of an organization can be anybody
 * there, so a login by it counts for that organization alone: never for another, for none, or for the administration.
 * @param policy undefined for no organization
 * @returns the latest one; undefined when none counts
 */
export function countingLogin(
  { own, ofOrganizations }: SessionLogins,
  policy: LoginPolicy | undefined,
): CountingLogin | undefined {
  if (policy === undefined) return own
  const inIt = ofOrganizations.filter(({ organizationId }) => organizationId === policy.organizationId)
  const counting: CountingLogin[] = policy.ssoRequired || own === undefined ? inIt : [own, ...inIt]
  return counting.reduce<CountingLogin | undefined>(
    (latest, login) => (latest === undefined || timeOf(login) > timeOf(latest) ? login : latest),
    undefined,
  )
}

function timeOf({ authenticatedAt }: CountingLogin): number {
  return authenticatedAt?.getTime() ?? 0
}
