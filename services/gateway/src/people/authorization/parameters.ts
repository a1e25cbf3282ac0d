import { oneOf, onlyWhere } from '@gatehouse/http/schemas'
import { presentWith } from '@gatehouse/proto/profiles'
import { Type } from '@gatehouse/proto/typebox'
import { resourceParameter } from '../../http/schemas.ts'

const needed = (description: string) => Type.String({ minLength: 1, description })
/** The parameters of an authorization request, whichever way it comes (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
export const authorizationParameters = {
  response_type: oneOf(['code']),
  client_id: needed('The client identifier.'),
  redirect_uri: needed('A redirect URI that the client has registered.'),
  scope: Type.Optional(
    Type.String({ description: 'Space-separated; by default the whole scope of the client.' }),
  ),
  state: Type.Optional(Type.String({ description: 'Returned unchanged.' })),
  resource: resourceParameter('The resource servers for which the client will ask for tokens.'),
  organization: Type.Optional(
    Type.String(
      onlyWhere(
        presentWith('OAUTH2_ORGANIZATIONS_ENABLED'),
        'The id or the slug of the organization in which the user acts.',
      ),
    ),
  ),
  code_challenge: Type.String({
    pattern: '^[\\w-]{43}$',
    description: 'BASE64URL(SHA-256(code_verifier)), RFC 7636.',
  }),
  code_challenge_method: oneOf(['S256']),
}
