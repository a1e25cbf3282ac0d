import type { AuthorityScope } from '@gatehouse/proto/claims'
import type { Target } from '../clients/resource-indicators.ts'
import type { Organizations } from '../organizations/organizations.ts'
import { type ClaimsAbout, claimScopes, claimsAbout } from './claims-about.ts'
import { concerns, isByRole, type Judgement, judge, unconcerned } from './judgement.ts'
import type { Acting, AuthorityDeps } from './needs.ts'

/** Judges by roles and groups: of users, as the identity service has them, and of clients, as their administrators gave them. */
export type Authority = {
  /** Whether roles, groups or attributes decide about access tokens for a target. Where they do not, nobody need be asked. */
  concerns(target: Pick<Target, 'servers'>): boolean
  /**
   * Judges an access token that is about to be issued. Nobody is asked about one that roles, groups and attributes do not concern.
   * @param scope the scope that it would have without roles, space-separated
   * @returns undefined when roles give nothing of the scope, or nothing of a resource server's part of it, or when the user is not active
   * @throws Refusal temporarily_unavailable
   */
  judge(acting: Acting, target: Pick<Target, 'servers'>, scope: string): Promise<Judgement | undefined>
  /** Whether the scope of tokens for one of these resource servers must have been judged by roles. */
  isByRole(identifiers: readonly string[]): boolean
  /** The scopes that give claims about groups, roles and organizations. */
  claimScopes(): readonly AuthorityScope[]
  /**
   * The claims about a user's groups and roles, and about the organization in which they act; undefined for a user who is not active or
   * cannot act there.
   * @throws Refusal temporarily_unavailable
   */
  claimsAbout(wanted: ClaimsAbout): Promise<Record<string, unknown> | undefined>
  /** undefined where OAUTH2_ORGANIZATIONS_ENABLED is off. */
  organizations: Organizations | undefined
}

/** The rule where OAUTH2_ORGANIZATIONS_ENABLED is off: roles and groups decide nothing. */
export const noAuthority: Authority = {
  concerns: () => false,
  judge: async (_acting, _target, scope) => unconcerned(scope),
  isByRole: () => false,
  claimScopes: () => [],
  claimsAbout: async () => ({}),
  organizations: undefined,
}

/** The rule where OAUTH2_ORGANIZATIONS_ENABLED is on. */
export function createAuthority(deps: AuthorityDeps): Authority {
  return {
    concerns,
    judge: (acting, target, scope) => judge(acting, target, scope, deps),
    isByRole: (identifiers) => isByRole(identifiers, deps),
    claimScopes: () => claimScopes(deps),
    claimsAbout: (wanted) => claimsAbout(wanted, deps),
    organizations: deps.organizations,
  }
}
