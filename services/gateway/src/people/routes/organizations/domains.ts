import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { DomainProblem } from '@gatehouse/proto/organization/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import { stateNameOf } from '../../organizations/domain-state.ts'
import { type ProblemWords, problemWith } from '../../organizations/problems.ts'
import { askFirst } from '../../organizations/question.ts'
import {
  doneIn,
  type MemberVisit,
  organizationsPage,
  type VisitDeps,
  withMembership,
} from '../../organizations/visit.ts'
import type { Problem } from '../../pages/form-problem.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'
import { TranslatedRefusal } from '../../pages/translated-refusal.ts'
import type { Texts } from '../../texts/table.ts'

/** The needs of the pages of the domains of an organization. */
export type DomainsDeps = VisitDeps<'listDomains' | 'addDomain' | 'proveDomain' | 'removeDomain'>

const url = `${organizationsPage}/:organizationId/domains`
const config = { page: true } as const
/** Ten of them a minute come from one address: each asks the DNS. */
const checking = { page: true, limit: 'costly' } as const

const gone = new TranslatedRefusal('not_found', (t) => t.organizationDomains.gone)

const words: ProblemWords = [
  ['domain must not be one below', (t) => t.organizationDomains.problems.publicSuffix, 'domain'],
  ['domain ', (t) => t.organizationDomains.problems.invalid, 'domain'],
  ['The organization has no such domain', (t) => t.organizationDomains.gone],
  ['The organization has', (t) => t.organizationDomains.problems.tooMany],
  ['The record was looked for just now', (t) => t.organizationDomains.problems.tooSoon],
]

/** Why a check did not prove a domain. */
const unproven: Partial<Record<DomainProblem, (texts: Texts) => string>> = {
  [DomainProblem.DOMAIN_PROBLEM_MISSING]: (t) => t.organizationDomains.problems.missing,
  [DomainProblem.DOMAIN_PROBLEM_TAKEN]: (t) => t.organizationDomains.problems.taken,
  [DomainProblem.DOMAIN_PROBLEM_NO_ANSWER]: (t) => t.organizationDomains.problems.noAnswer,
}

/** The pages where owners and admins add, prove and remove the domains of their organization. */
export const domainsPages = endpoint({
  name: 'domains of an organization',
  door: 'people',
  part: organizationParts,
  routes: domainsRoutes,
})

function domainsRoutes(app: App, deps: DomainsDeps): void {
  const { organizationService } = deps
  pageRoute(app, {
    url,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', (visit) => showDomains(request, reply, visit, deps)),
  })

  app.route({
    method: 'POST',
    url,
    config,
    schema: pageForm('domain'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { domain = '' } = request.body
        const { change, texts, path } = visit
        const problem = await problemWith(() => organizationService.addDomain({ ...change, domain }), words, {
          ...{ request, reply, texts },
        })
        return problem
          ? showDomains(request, reply, visit, deps, { problem, typed: domain })
          : reply.redirect(`${path}/domains?done=domain-added`, 303)
      }),
  })

  app.route({
    method: 'POST',
    url: `${url}/check`,
    config: checking,
    schema: pageForm('domain'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { domain = '' } = request.body
        const { change, texts, path } = visit
        const prove = async () => {
          const { problem } = await organizationService.proveDomain({ ...change, domain })
          const explain = unproven[problem]
          if (explain) throw new TranslatedRefusal('invalid_request', explain)
        }
        const problem = await problemWith(prove, words, { request, reply, texts })
        return problem
          ? showDomains(request, reply, visit, deps, { problem: { ...problem, field: undefined } })
          : reply.redirect(`${path}/domains?done=domain-proven`, 303)
      }),
  })

  removalRoutes(app, deps)
}

function removalRoutes(app: App, deps: DomainsDeps): void {
  const { organizationService } = deps
  pageRoute(app, {
    url: `${url}/remove`,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { domain } = parseForm(queryOf(request.url))
        const { domains } = await organizationService.listDomains({
          organizationId: visit.change.organizationId,
        })
        const known = domains.find((one) => one.domain === domain)
        if (known === undefined) throw gone
        return showRemoval(reply, visit, known.domain)
      }),
  })

  app.route({
    method: 'POST',
    url: `${url}/remove`,
    config,
    schema: pageForm('domain'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { domain = '' } = request.body
        const { change, texts, path } = visit
        const problem = await problemWith(
          () => organizationService.removeDomain({ ...change, domain }),
          words,
          {
            ...{ request, reply, texts },
          },
        )
        return problem
          ? showDomains(request, reply, visit, deps, { problem })
          : reply.redirect(`${path}/domains?done=domain-removed`, 303)
      }),
  })
}

async function showDomains(
  request: FastifyRequest,
  reply: FastifyReply,
  { session: { user }, membership, path, change: { organizationId }, texts, language, time }: MemberVisit,
  { organizationService }: DomainsDeps,
  { problem, typed = '' }: { problem?: Problem; typed?: string } = {},
): Promise<FastifyReply> {
  const { done } = parseForm(queryOf(request.url))
  const { domains } = await organizationService.listDomains({ organizationId })
  const content = {
    ...{ user, organization: membership.name, path, problem, typed, time },
    message: doneIn(done, texts),
    domains: domains.map(({ state, addedAt: _, ...domain }) => ({
      ...domain,
      state: stateNameOf(state),
      removal: `${path}/domains/remove?${new URLSearchParams({ domain: domain.domain })}`,
    })),
  }
  return sendPage(reply, 'organizations/domains', content, { language })
}

function showRemoval(reply: FastifyReply, visit: MemberVisit, domain: string): FastifyReply {
  const { path, texts } = visit
  return askFirst(reply, visit, texts.organizationDomains.removal, {
    name: domain,
    action: `${path}/domains/remove`,
    fields: { domain },
    back: `${path}/domains`,
  })
}
