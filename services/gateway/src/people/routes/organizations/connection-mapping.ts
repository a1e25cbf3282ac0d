import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { Connection, MappingRule } from '@gatehouse/proto/connection/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import { connectionOf, valuesOf } from '../../organizations/connection-form.ts'
import {
  type ConnectionServices,
  connectionIn,
  connectionProblems,
  connectionsUrl,
} from '../../organizations/connections.ts'
import { revisionIn } from '../../organizations/form-revision.ts'
import { type GroupsDeps, groupsToGive } from '../../organizations/groups-of-organization.ts'
import {
  mappingProblems,
  noRule,
  type RuleProblem,
  ruleOf,
  ruleProblemIn,
  rulesIn,
} from '../../organizations/mapping-form.ts'
import { problemWith } from '../../organizations/problems.ts'
import { type RolesToGiveDeps, roleKey, rolesToGive } from '../../organizations/roles-to-give.ts'
import { doneIn, type MemberVisit, type VisitDeps, withMembership } from '../../organizations/visit.ts'
import type { RuleValues } from '../../pages/contents/connection-contents.ts'
import { markRefused } from '../../pages/errors.ts'
import type { Problem } from '../../pages/form-problem.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'
import { TranslatedRefusal } from '../../pages/translated-refusal.ts'
import type { Texts } from '../../texts/table.ts'

/** The needs of the pages with the mapping of a connection. */
export type ConnectionMappingDeps = VisitDeps &
  GroupsDeps &
  RolesToGiveDeps & { connectionService: Pick<ConnectionServices, 'getConnection' | 'updateConnection'> }

const url = `${connectionsUrl}/:connectionId/mapping`
const config = { page: true } as const

/** The page where owners and admins say what claims of a provider become in their organization. */
export const connectionMappingPage = endpoint({
  name: 'mapping of a connection',
  door: 'people',
  part: organizationParts,
  routes: mappingRoutes,
})

/** The things that a page shows besides the rules that there are. */
type Shown = { problem?: Problem | undefined; about?: RuleProblem | undefined; values?: RuleValues }

function mappingRoutes(app: App, deps: ConnectionMappingDeps): void {
  pageRoute(app, {
    url,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) =>
        showMapping(request, reply, visit, deps, await connectionIn(request.params, visit, deps)),
      ),
  })

  app.route({
    method: 'POST',
    url,
    config,
    schema: pageForm('revision', 'claim', 'value', 'target', 'attribute'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const connection = await connectionIn(request.params, visit, deps)
        const { revision, ...sent } = request.body
        const values = valuesIn(sent)
        const mapping = [...connection.mapping, ruleOf(values, await rolesToGive(deps))]
        const shown = await change(request, reply, visit, deps, { connection, mapping, revision })
        return shown
          ? showMapping(request, reply, visit, deps, connection, { ...shown, values })
          : reply.redirect(`${pathOf(connection, visit)}?done=rule-added`, 303)
      }),
  })

  app.route({
    method: 'POST',
    url: `${url}/remove`,
    config,
    // `rule:` and its number is `yes` for each rule that is removed.
    schema: pageForm('revision'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const connection = await connectionIn(request.params, visit, deps)
        const { revision, ...chosen } = request.body as Record<string, string>
        const mapping = connection.mapping.filter((_, index) => chosen[`rule:${index}`] !== 'yes')
        if (mapping.length === connection.mapping.length) {
          const none = (texts: Texts) => texts.connectionMapping.problems.noChoice
          markRefused(request, reply, new TranslatedRefusal('invalid_request', none))
          const problem = { text: none(visit.texts), field: undefined }
          return showMapping(request, reply, visit, deps, connection, { problem })
        }
        const shown = await change(request, reply, visit, deps, { connection, mapping, revision })
        return shown
          ? showMapping(request, reply, visit, deps, connection, { problem: shown.problem })
          : reply.redirect(`${pathOf(connection, visit)}?done=rules-removed`, 303)
      }),
  })
}

const pathOf = ({ connectionId }: Connection, { path }: MemberVisit) =>
  `${path}/connections/${connectionId}/mapping`

function valuesIn(sent: Partial<Record<keyof RuleValues, string>>): RuleValues {
  const { claim = '', value = '', target = '', attribute = '' } = sent
  return { claim: claim.trim(), value: value.trim(), target, attribute: attribute.trim() }
}

/** Gives a connection another mapping. @returns why not; undefined when it is done */
async function change(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: MemberVisit,
  { connectionService }: ConnectionMappingDeps,
  {
    connection,
    mapping,
    revision,
  }: { connection: Connection; mapping: MappingRule[]; revision: string | undefined },
): Promise<Shown | undefined> {
  const { texts, change: by } = visit
  let about: RuleProblem | undefined
  const update = async () => {
    const wanted = connectionOf(valuesOf(connection), by.organizationId).connection
    await connectionService
      .updateConnection({
        ...{ ...by, connectionId: connection.connectionId, connection: { ...wanted, mapping } },
        fields: ['mapping'],
        revision: revisionIn(revision),
      })
      .catch((error) => {
        if (error instanceof Refusal) about = ruleProblemIn(error.description)
        throw error
      })
  }
  const words = [...mappingProblems, ...connectionProblems]
  const problem = await problemWith(update, words, { request, reply, texts })
  return problem && { problem, about }
}

async function showMapping(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: MemberVisit,
  deps: ConnectionMappingDeps,
  connection: Connection,
  { problem, about, values = noRule }: Shown = {},
): Promise<FastifyReply> {
  const { session, membership, path, change: by, texts, language } = visit
  const [groups, roles] = await Promise.all([groupsToGive(by.organizationId, deps), rolesToGive(deps)])
  const t = texts.connectionMapping
  const isOfRow = about !== undefined && about.index < connection.mapping.length
  const content = {
    ...{ user: session.user, organization: membership.name, path, name: connection.name, values },
    own: pathOf(connection, visit),
    problem: problem && { text: problem.text, field: isOfRow ? undefined : about?.field },
    message: doneIn(parseForm(queryOf(request.url)).done, texts),
    revision: String(connection.revision),
    rules: rulesIn(connection, { groups, roles }, texts).map((rule, index) => ({
      ...rule,
      problem: isOfRow && index === about.index ? about.text(texts) : undefined,
    })),
    groups: groups.map(({ name }) => ({ name, target: `group:${name}` })),
    roles: roles.map((role) => ({
      name: t.roleOf(role.role, role.resource),
      target: `role:${roleKey(role)}`,
    })),
  }
  return sendPage(reply, 'organizations/connection-mapping', content, { language })
}
