import { readActor } from '@gatehouse/kit/actor'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import {
  type Domain as DomainMessage,
  DomainServiceService,
  DomainProblem as ProblemMessage,
  DomainState as StateMessage,
} from '@gatehouse/proto/organization/v1'
import {
  addDomain,
  type DomainDeps,
  type DomainProblem,
  type DomainState,
  listDomains,
  type OrganizationDomain,
  proveDomain,
  removeDomain,
  stateOf,
} from '../organizations/domain.ts'
import { recordOf } from '../organizations/domain-name.ts'

/** The RPCs about the domains of organizations. */
export function domainRpcs(deps: DomainDeps): Implementation {
  return implement(DomainServiceService, {
    async listDomains({ organizationId }) {
      return { domains: (await listDomains(organizationId, deps)).map(domainMessage) }
    },

    async addDomain({ actor, actingMember, ...wanted }) {
      return { domain: domainMessage(await addDomain(wanted, readActor(actor), deps, actingMember)) }
    },

    async proveDomain({ actor, actingMember, ...which }) {
      const { domain, reason, problem } = await proveDomain(which, readActor(actor), deps, actingMember)
      return { domain: domainMessage(domain), reason, problem: problemMessage(problem) }
    },

    async removeDomain({ actor, actingMember, ...which }) {
      await removeDomain(which, readActor(actor), deps, actingMember)
      return {}
    },
  })
}

const states: Readonly<Record<DomainState, StateMessage>> = {
  unproven: StateMessage.DOMAIN_STATE_UNSPECIFIED,
  proven: StateMessage.DOMAIN_STATE_PROVEN,
  missing: StateMessage.DOMAIN_STATE_MISSING,
  lost: StateMessage.DOMAIN_STATE_LOST,
}

const problems: Readonly<Record<DomainProblem, ProblemMessage>> = {
  missing: ProblemMessage.DOMAIN_PROBLEM_MISSING,
  taken: ProblemMessage.DOMAIN_PROBLEM_TAKEN,
  'no answer': ProblemMessage.DOMAIN_PROBLEM_NO_ANSWER,
}

function problemMessage(problem: DomainProblem | undefined): ProblemMessage {
  return problem === undefined ? ProblemMessage.DOMAIN_PROBLEM_UNSPECIFIED : problems[problem]
}

function domainMessage(stored: OrganizationDomain): DomainMessage {
  const { domain, addedAt, provenAt, checkedAt, missingSince } = stored
  const { name: recordName, value: recordValue } = recordOf(stored)
  return {
    ...{ domain, addedAt, provenAt, checkedAt, missingSince, recordName, recordValue },
    state: states[stateOf(stored)],
  }
}
