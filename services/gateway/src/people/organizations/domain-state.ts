import { DomainState } from '@gatehouse/proto/organization/v1'
import type { Texts } from '../texts/table.ts'

type StateName = keyof Texts['organizationDomains']['states']

const names: Partial<Record<DomainState, StateName>> = {
  [DomainState.DOMAIN_STATE_PROVEN]: 'proven',
  [DomainState.DOMAIN_STATE_MISSING]: 'missing',
  [DomainState.DOMAIN_STATE_LOST]: 'lost',
}

/** The name in texts of the state of a domain. */
export function stateNameOf(state: DomainState): StateName {
  return names[state] ?? 'unproven'
}

/** Whether the organization has a domain now: it has proven it, and not lost it. */
export function isHeld(state: DomainState): boolean {
  return state === DomainState.DOMAIN_STATE_PROVEN || state === DomainState.DOMAIN_STATE_MISSING
}
