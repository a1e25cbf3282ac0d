import { databaseVariables } from '@gatehouse/data/database-variables'
import {
  addressVariable,
  ConfigurationError,
  processVariables,
  rpcVariables,
} from '@gatehouse/kit/config/config'
import { emissionVariables } from '@gatehouse/kit/events/emission-variables'
import { fetchVariables } from '@gatehouse/kit/fetch/fetch-variables'
import { type Static, Type } from '@gatehouse/proto/typebox'
import {
  auditLogDaysVariable,
  clientAuthMethodsVariable,
  clientMetadataDocumentsVariable,
  grantSwitchVariables,
  openidVariable,
  organizationsVariable,
  profileVariable,
  publicBaseUrlVariable,
  publicClientsVariable,
  registrationVariable,
  resourceIndicatorsVariable,
  scopesSupportedVariable,
} from '@gatehouse/proto/variables'
import { openScopes } from './clients/client-field.ts'

/** The client registry's variables. */
export const clientRegistryConfig = Type.Object({
  ...processVariables,
  ...rpcVariables,
  ...databaseVariables,
  ...emissionVariables,
  ...profileVariable,
  ...openidVariable,
  ...organizationsVariable,
  ...publicBaseUrlVariable,
  ...auditLogDaysVariable,
  ...scopesSupportedVariable,
  ...resourceIndicatorsVariable,
  ...registrationVariable,
  OAUTH2_UNUSED_REGISTRATION_DAYS: Type.Integer({
    default: 30,
    minimum: 0,
    maximum: 60,
    rule: 'a whole number of days from 0 to 60',
    description:
      'After how many days a client that registered itself without a token, and that nobody has used, is deleted; 0 for never. See docs/apps/registration.md.',
  }),
  ...grantSwitchVariables,
  ...publicClientsVariable,
  ...clientAuthMethodsVariable,
  ...fetchVariables,
  ...clientMetadataDocumentsVariable,
  OAUTH2_CLIENT_METADATA_DOCUMENT_SCOPES: Type.Optional(
    Type.String({
      pattern: '^[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*$',
      rule: 'words with one space between two, out of OAUTH2_SCOPES_SUPPORTED and without admin',
      defaultText: 'OAUTH2_SCOPES_SUPPORTED without admin',
      description:
        'The most of the scopes of this server that a client with a client ID metadata document may ask for. It may also ask for those of resource servers that are open to clients that register themselves.',
      check(values: DocumentVariables) {
        if (!values.OAUTH2_CLIENT_METADATA_DOCUMENTS) return
        const open = openScopes(new Set(values.OAUTH2_SCOPES_SUPPORTED.split(' ')))
        const wrong = documentScope(values)
          .split(' ')
          .find((word) => !open.has(word))
        if (wrong !== undefined)
          throw new ConfigurationError(
            `OAUTH2_CLIENT_METADATA_DOCUMENT_SCOPES must be words out of OAUTH2_SCOPES_SUPPORTED and without admin; ${JSON.stringify(wrong)} is not one`,
          )
        if (!values.OAUTH2_PUBLIC_CLIENTS_ENABLED)
          throw new ConfigurationError(
            'OAUTH2_PUBLIC_CLIENTS_ENABLED must be true: OAUTH2_CLIENT_METADATA_DOCUMENTS is true, and clients with a metadata document have no secret',
          )
      },
    }),
  ),
  OAUTH2_TOKEN_ADDR: addressVariable('token'),
  OAUTH2_IDENTITY_ADDR: addressVariable('identity'),
})

/** The same, with their values. */
export type ClientRegistryConfig = Static<typeof clientRegistryConfig>

type DocumentVariables = Pick<
  ClientRegistryConfig,
  'OAUTH2_CLIENT_METADATA_DOCUMENTS' | 'OAUTH2_PUBLIC_CLIENTS_ENABLED' | 'OAUTH2_SCOPES_SUPPORTED'
> & { OAUTH2_CLIENT_METADATA_DOCUMENT_SCOPES?: string | undefined }

/**
 * The scope of clients with a metadata document, space-separated.
 * @param ofResources the scopes of resource servers that are open to clients that register themselves
 */
export function documentScope(
  {
    OAUTH2_CLIENT_METADATA_DOCUMENT_SCOPES: scopes,
    OAUTH2_SCOPES_SUPPORTED: supported,
  }: Pick<DocumentVariables, 'OAUTH2_CLIENT_METADATA_DOCUMENT_SCOPES' | 'OAUTH2_SCOPES_SUPPORTED'>,
  ofResources: readonly string[] = [],
): string {
  const own = scopes?.split(' ') ?? openScopes(new Set(supported.split(' ')))
  return [...new Set([...own, ...ofResources])].join(' ')
}
