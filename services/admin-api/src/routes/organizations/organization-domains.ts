import type { App } from '@gatehouse/http/app'
import { type Domain, DomainState } from '@gatehouse/proto/organization/v1'
import { type Static, Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../../deps.ts'
import { listSchema } from '../../list.ts'
import { operationRoute } from '../../operation.ts'
import { done, moment, momentOf } from '../../schemas.ts'

const states = {
  unproven: DomainState.DOMAIN_STATE_UNSPECIFIED,
  proven: DomainState.DOMAIN_STATE_PROVEN,
  missing: DomainState.DOMAIN_STATE_MISSING,
  lost: DomainState.DOMAIN_STATE_LOST,
} as const
const stateNames = Object.keys(states) as (keyof typeof states)[]

const domainSchema = Type.Object(
  {
    domain: Type.String({ description: 'In lower case, international names in ASCII (RFC 5890).' }),
    state: Type.Enum([...stateNames], {
      description:
        '`unproven`: the record was never found; `missing`: it was, and has been gone for a short while; `lost`: for too long.',
    }),
    record_name: Type.String({ description: 'The name of the TXT record that proves it.' }),
    record_value: Type.String({ description: 'The value of that record.' }),
    added_at: moment('When it was added.'),
    proven_at: Type.Optional(moment('When it was proven; absent if it never was.')),
    checked_at: Type.Optional(moment('When the record was last looked for; absent if it never was.')),
    missing_since: Type.Optional(moment('Since when the record is missing; absent while it is there.')),
  },
  { title: 'OrganizationDomain', description: 'The domain.' },
)
const example = {
  ...{ domain: 'acme.example', state: 'unproven', record_name: '_gatehouse-challenge.acme.example' },
  ...{ record_value: 'gatehouse-domain-verification=<VALUE>', added_at: '2026-01-01T00:00:00.000Z' },
}

/** /admin/api/organizations/{organization_id}/domains. */
export function organizationDomainRoutes(app: App, { organizationService }: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /organizations/:organization_id/domains',
    operationId: 'listOrganizationDomains',
    summary: 'List the domains of an organization by name',
    answer: { 200: listSchema(domainSchema, 'The domains.', example) },
    refusals: ['not_found'],
    async perform({ params: { organization_id: organizationId } }) {
      return { items: (await organizationService.listDomains({ organizationId })).domains.map(domainBody) }
    },
  })

  operationRoute(app, {
    route: 'POST /organizations/:organization_id/domains',
    operationId: 'addOrganizationDomain',
    summary: 'Add a domain that an organization must prove',
    description: 'Until it is proven by a TXT record, it reserves nothing.',
    body: Type.Object(
      { domain: Type.String() },
      { title: 'DomainToAdd', examples: [{ domain: 'acme.example' }] },
    ),
    answer: { 201: domainSchema },
    refusals: ['not_found'],
    perform: async ({ params: { organization_id: organizationId }, body: { domain }, actor }) =>
      domainBody((await organizationService.addDomain({ organizationId, domain, actor })).domain),
  })

  operationRoute(app, {
    route: 'POST /organizations/:organization_id/domains/:domain/proof',
    operationId: 'proveOrganizationDomain',
    summary: 'Look for the proof of a domain now',
    answer: {
      200: Type.Object(
        {
          domain: domainSchema,
          reason: Type.Optional(Type.String({ description: 'Why it is not proven; absent if it is.' })),
        },
        { title: 'DomainProof', description: 'What was found.' },
      ),
    },
    refusals: ['not_found', 'rate_limit_exceeded'],
    async perform({ params: { organization_id: organizationId, domain: name }, actor }) {
      const { domain, reason } = await organizationService.proveDomain({
        organizationId,
        domain: name,
        actor,
      })
      return { domain: domainBody(domain), ...(reason !== undefined && { reason }) }
    },
  })

  operationRoute(app, {
    route: 'DELETE /organizations/:organization_id/domains/:domain',
    operationId: 'removeOrganizationDomain',
    summary: 'Remove a domain of an organization',
    description: 'Another organization may prove it then.',
    answer: done('The domain is removed.'),
    refusals: ['not_found'],
    perform: ({ params: { organization_id: organizationId, domain }, actor }) =>
      organizationService.removeDomain({ organizationId, domain, actor }),
  })
}

function domainBody(domain: Domain | undefined): Static<typeof domainSchema> {
  if (domain === undefined) throw new Error('the identity service gave no domain')
  const { provenAt, checkedAt, missingSince } = domain
  return {
    domain: domain.domain,
    state: stateNames.find((name) => states[name] === domain.state) ?? 'unproven',
    record_name: domain.recordName,
    record_value: domain.recordValue,
    added_at: momentOf(domain.addedAt),
    ...(provenAt && { proven_at: momentOf(provenAt) }),
    ...(checkedAt && { checked_at: momentOf(checkedAt) }),
    ...(missingSince && { missing_since: momentOf(missingSince) }),
  }
}
