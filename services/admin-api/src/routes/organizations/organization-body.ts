import { unchecked } from '@gatehouse/http/schemas'
import { organizations } from '@gatehouse/proto/administered/organizations'
import type { Organization } from '@gatehouse/proto/organization/v1'
import { organizationLimits as limits, organizationFields as words } from '@gatehouse/proto/organizations'
import { type Static, Type } from '@gatehouse/proto/typebox'
import { carriedFields } from '../../administered.ts'
import { moment, momentOf } from '../../schemas.ts'

const wordsOf = (field: keyof typeof words) => ({
  title: words[field].label,
  description: words[field].description,
})

const texts = { type: 'object', additionalProperties: { type: 'string' } } as const

/** Attributes by name, which the identity service checks. */
export const attributesSchema = (description: string) =>
  Type.Unsafe<Record<string, string>>({ ...texts, description })

const logo = { ...unchecked({ maxLength: limits.logoUri }), ...wordsOf('logo_uri') }
const color = { ...unchecked({ pattern: '^#[0-9A-Fa-f]{6}$' }), ...wordsOf('color') }

/** The fields that administrators may set, by the API's names. The identity service validates the values. */
export const organizationSettings = {
  slug: Type.String({ ...unchecked({ minLength: 1, maxLength: limits.slug }), ...wordsOf('slug') }),
  name: Type.String({ ...unchecked({ minLength: 1, maxLength: limits.name }), ...wordsOf('name') }),
  logo_uri: Type.Optional(Type.String(logo)),
  color: Type.Optional(Type.String(color)),
  attributes: Type.Unsafe<Record<string, string>>({
    ...texts,
    title: 'OrganizationAttributes',
    description: words.attributes.description,
  }),
  second_factor_required: Type.Boolean(wordsOf('second_factor_required')),
  sso_required: Type.Boolean(wordsOf('sso_required')),
}

/** The fields that a change may have. Null removes the logo and the colour. */
export const changedSettings = {
  ...Type.Partial(Type.Object(organizationSettings)).properties,
  logo_uri: Type.Optional(Type.Unsafe<string | null>({ ...logo, type: ['string', 'null'] })),
  color: Type.Optional(Type.Unsafe<string | null>({ ...color, type: ['string', 'null'] })),
  disabled: Type.Optional(Type.Boolean(wordsOf('disabled'))),
}

/** An organization for the document. */
export const organizationExample = {
  organization_id: '<ORGANIZATION_ID>',
  slug: 'acme',
  name: 'Acme Inc.',
  attributes: { customer_number: '4711' },
  second_factor_required: false,
  sso_required: false,
  disabled: false,
  created_at: '2026-01-01T00:00:00.000Z',
  revision: 1,
}

/** An organization as administrators see it. */
export const organizationSchema = Type.Object(
  {
    organization_id: Type.String({ description: 'Its id, which never changes and is never used again.' }),
    ...organizationSettings,
    disabled: Type.Boolean(wordsOf('disabled')),
    disabled_at: Type.Optional(moment('When the organization was disabled.')),
    ...carriedFields(organizations),
    created_at: moment('When the organization was created.'),
    revision: Type.Integer({
      description: 'Increases with every change of the fields, but not of the members.',
    }),
  },
  { title: 'Organization', description: 'The organization.', examples: [organizationExample] },
)

/** An organization as JSON. @throws Error where the identity service gave none */
export function organizationBody(organization: Organization | undefined): Static<typeof organizationSchema> {
  if (organization === undefined) throw new Error('the identity service gave no organization')
  const { organizationId, slug, name, logoUri, color, disabledAt, columns } = organization
  return {
    ...{ organization_id: organizationId, slug, name },
    ...(logoUri !== undefined && { logo_uri: logoUri }),
    ...(color !== undefined && { color }),
    attributes: { ...organization.attributes },
    second_factor_required: organization.secondFactorRequired,
    sso_required: organization.ssoRequired ?? false,
    disabled: disabledAt !== undefined,
    ...(disabledAt && { disabled_at: momentOf(disabledAt) }),
    ...columns,
    created_at: momentOf(organization.createdAt),
    revision: Number(organization.revision),
  }
}
