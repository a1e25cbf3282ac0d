import type { Problem } from '../form-problem.ts'
import type { PageUser } from '../page-user.ts'

/** A page below those of an organization. */
export type InOrganization = {
  user: PageUser
  /** The name of the organization. */
  organization: string
  /** The path of the pages of the organization. */
  path: string
  /** A sentence about the change that was made before this page. */
  message: string | undefined
  problem: Problem | undefined
}
