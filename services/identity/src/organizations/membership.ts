import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Page, type PageRequest } from '@gatehouse/kit/page'
import { isStorable } from '@gatehouse/kit/storable'
import type { MemberRole } from '@gatehouse/proto/organizations'
import { getUser, type UserListStore } from '../users/user-list.ts'
import type { Organization } from './organization.ts'

/** Asks for a user's membership in one organization, by its id or its slug, or for all that they have. */
export type MembershipQuestion = { userId: string; organization?: string | undefined }

/** A membership that counts now. */
export type Membership = Pick<
  Organization,
  'organizationId' | 'slug' | 'name' | 'logoUri' | 'color' | 'secondFactorRequired'
> & {
  role: MemberRole
  /** Whether only logins by connections of the organization count for this member now. */
  ssoRequired: boolean
  /** Those that the user has in it; undefined unless one organization was asked for. */
  attributes: Readonly<Record<string, string>> | undefined
}

/** An organization of a user, which may be disabled. */
export type UserOrganization = {
  organization: Organization
  role: MemberRole
  joinedAt: Date
  /** Those that the user has in it. */
  attributes: Readonly<Record<string, string>>
}

/** Reads memberships. */
export type MembershipStore = {
  /** @returns the answers in the order of the questions: by name, of active users in active organizations */
  find(questions: readonly MembershipQuestion[]): Promise<Membership[][]>
  /** The organizations of a user by name. @throws Refusal invalid_request for an invalid cursor */
  organizationsOf(userId: string, page: PageRequest): Promise<Page<UserOrganization>>
}

/**
 * Finds the memberships that count now. What names no user or no organization has none.
 * @returns the answers in the order of the questions
 */
export async function findMemberships(
  questions: readonly MembershipQuestion[],
  store: Pick<MembershipStore, 'find'>,
): Promise<Membership[][]> {
  const valid = questions.filter(
    ({ userId, organization = '' }) => isUuid(userId) && isStorable(organization),
  )
  const answers = valid.length === 0 ? [] : await store.find(valid)
  const found = new Map(valid.map((question, index) => [question, answers[index]]))
  return questions.map((question) => found.get(question) ?? [])
}

/**
 * The organizations of a user by name, disabled ones too.
 * @throws Refusal not_found; invalid_request for an invalid limit or cursor
 */
export async function listUserOrganizations(
  { userId, ...page }: PageRequest & { userId: string },
  { memberships, users }: { memberships: MembershipStore; users: Pick<UserListStore, 'get'> },
): Promise<Page<UserOrganization>> {
  checkLimit(page.limit)
  await getUser(userId, users)
  return memberships.organizationsOf(userId, page)
}
