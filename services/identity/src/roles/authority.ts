import { isUuid } from '@gatehouse/kit/formats'
import { isOrganizationId } from '@gatehouse/proto/organizations'
import type { InOrganization } from '../organizations/acting.ts'

/** Asks for the roles and groups that a user has. */
export type AuthorityQuestion = {
  userId: string
  organizationId?: InOrganization
  /** The registry's ids of the resource servers whose roles are wanted. */
  resourceIds: readonly string[]
  /** Whether the groups are wanted. */
  groups: boolean
}

/** The roles and groups of a user at one moment. */
export type Authority = {
  /** False for a user who is unknown or disabled, or no member of an active organization; the rest is empty then. */
  active: boolean
  /** All changes with this revision or a smaller one are in the rest. */
  revision: bigint
  /** The names of the roles of each resource server, sorted, where there are any. */
  roles: readonly { resourceId: string; roles: readonly string[] }[]
  /** The names, sorted. */
  groups: readonly string[]
}

/** Reads roles and groups. */
export type AuthorityStore = {
  /** @returns the answers in the order of the questions, all of one moment; undefined for a user who is not active in the place */
  find(questions: readonly AuthorityQuestion[]): Promise<(Omit<Authority, 'active'> | undefined)[]>
}

const nothing: Authority = { active: false, revision: 0n, roles: [], groups: [] }

/**
 * The roles and groups of users: their own, and those of their groups.
 * @returns the answers in the order of the questions
 */
export async function getAuthorities(
  questions: readonly AuthorityQuestion[],
  store: AuthorityStore,
): Promise<Authority[]> {
  const valid = questions.filter(
    ({ userId, organizationId }) =>
      isUuid(userId) && (organizationId === undefined || isOrganizationId(organizationId)),
  )
  const answers = valid.length === 0 ? [] : await store.find(valid.map(withValidIds))
  const found = new Map(valid.map((question, index) => [question, answers[index]]))
  return questions.map((question) => {
    const answer = found.get(question)
    return answer ? { active: true, ...answer } : nothing
  })
}

function withValidIds({ resourceIds, ...question }: AuthorityQuestion): AuthorityQuestion {
  return { ...question, resourceIds: resourceIds.filter(isUuid) }
}
