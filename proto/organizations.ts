/**
 * The fields of an organization, by the API's names. The admin API, its pages and the command line take their words from here; the
 * identity service checks the values.
 */
export const organizationFields = {
  slug: {
    label: 'Slug',
    description:
      'A short name for addresses and for the parameter `organization`: a DNS label in lower case, which no other organization has. It may change, so nothing should be decided by it. It must not begin with `org_`.',
  },
  name: { label: 'Name', description: 'What people read. Several organizations may have the same name.' },
  logo_uri: {
    label: 'Logo',
    description: 'The https address of a picture, which the pages of its members show.',
  },
  color: {
    label: 'Colour',
    description: 'The colour of buttons and links on those pages, such as `#0b5cad`.',
  },
  attributes: {
    label: 'Attributes',
    description:
      'Up to 20 texts by name, such as a customer number. Only administrators change them, and not members.',
  },
  second_factor_required: {
    label: 'Two factors required',
    description: 'Whether members must have proven two factors to act in the organization.',
  },
  sso_required: {
    label: 'Single sign-on required',
    description:
      'Whether members act in the organization only after a login by one of its own connections. Owners may log in in any way, so that they can mend a connection that fails. It counts while the organization has a connection that is not disabled and a domain that it has proven and not lost.',
  },
  disabled: {
    label: 'Disabled',
    description:
      'Nobody acts in a disabled organization. Disabling it ends everything that was granted in it; enabling it brings none of that back.',
  },
} as const

/** The limits of organizations and of what is in them. Lengths are in characters. */
export const organizationLimits = {
  slug: 63,
  name: 200,
  logoUri: 2_048,
  attributes: 20,
  attributeName: 64,
  attributeValue: 500,
  /** How many there may be in all. */
  organizations: 10_000,
  /** How many members one may have. */
  members: 100_000,
  /** In how many a user may be. */
  organizationsOfUser: 100,
  /** How many groups one may have. */
  groups: 1_000,
  /** How many members one request may set, and how many it may remove. */
  atOnce: 500,
  /** How many invitations of one may be open, how many mails with invitations it sends on a day (UTC), and how many roles one gives. */
  invitations: 100,
  invitationMailsInDay: 200,
  rolesOfInvitation: 50,
  /** How many domains one may have, proven or not. */
  domains: 100,
} as const

/** The roles of a member in an organization, from the one that allows least. */
export const memberRoles = {
  member: { title: 'Member', description: 'Acts in the organization, and may leave it.' },
  admin: {
    title: 'Admin',
    description: 'Changes the organization, its members and what they have, but neither owners nor the slug.',
  },
  owner: { title: 'Owner', description: 'Changes all of it. The last one stays.' },
} as const satisfies Record<string, { title: string; description: string }>

/** The name of what a member is. */
export type MemberRole = keyof typeof memberRoles

/** These names. */
export const memberRoleNames = Object.keys(memberRoles) as MemberRole[]

/** Whether a text is such a name. */
export function isMemberRole(text: string): text is MemberRole {
  return Object.hasOwn(memberRoles, text)
}

/** The beginning of each id of an organization, and of no slug. */
export const organizationIdPrefix = 'org_'

const organizationId = /^org_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Whether a text can be the id of an organization, as Gatehouse writes it. */
export function isOrganizationId(text: string): boolean {
  return organizationId.test(text)
}

const slug = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

/** Whether a text can be a slug: a DNS label in lower case (RFC 1035 section 2.3.1, with digits first as RFC 1123 section 2.1 allows). */
export function isSlug(text: string): boolean {
  return slug.test(text)
}
