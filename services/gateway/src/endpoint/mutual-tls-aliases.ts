import { onlyWhere } from '@gatehouse/http/schemas'
import { Type } from '@gatehouse/proto/typebox'
import type { Endpoint } from './endpoint.ts'
import type { MetadataField, MetadataFields } from './metadata.ts'

const presence = {
  profiles: [],
  sentence: 'Only where `OAUTH2_MTLS_PORT` or `OAUTH2_MTLS_PUBLIC_BASE_URL` is set.',
}

/**
 * The metadata field `mtls_endpoint_aliases` (RFC 8705 section 5): where clients with certificates find the endpoints for clients.
 * @param needs what the endpoints need
 */
export function mutualTlsAliases<Needs extends { issuer: string; mutualTlsBase?: string | undefined }>(
  endpoints: readonly Endpoint<Needs>[],
  needs: Needs,
): MetadataFields {
  const { issuer, mutualTlsBase: base } = needs
  const fields = endpoints
    .filter(({ door }) => door === 'clients')
    .flatMap(({ metadata, part }) =>
      Object.entries(metadata?.(needs) ?? {}).map(([name, field]) => ({
        ...{
          name,
          field,
          here: field.value !== undefined && (part === undefined || part.on(needs) === true),
        },
      })),
    )
    .filter(({ name }) => name.endsWith('_endpoint'))
  const alias = ({ value }: MetadataField) => `${base}${String(value).slice(issuer.length)}`
  const schema = Type.Object(
    Object.fromEntries(fields.map(({ name }) => [name, Type.Optional(Type.String({ format: 'uri' }))])),
    onlyWhere(presence, 'The endpoints for clients that authenticate by a certificate.'),
  )
  return {
    mtls_endpoint_aliases: {
      schema: Type.Optional(schema),
      value:
        base &&
        Object.fromEntries(fields.filter(({ here }) => here).map(({ name, field }) => [name, alias(field)])),
    },
  }
}
