import {
  addressVariable,
  processVariables,
  publicBaseUrlVariable,
  scopesSupportedVariable,
} from '@gatehouse/kit/config'
import { Type } from 'typebox'

/** The gateway's variables. */
export const gatewayConfig = Type.Object({
  ...processVariables,
  ...publicBaseUrlVariable,
  ...scopesSupportedVariable,
  OAUTH2_SERVER_HOST: Type.String({
    default: '0.0.0.0',
    minLength: 1,
    description: 'The address where the gateway takes requests.',
  }),
  OAUTH2_SERVER_PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65535,
    rule: 'a port number',
    description: 'The port where the gateway takes requests.',
  }),
  OAUTH2_TOKEN_ADDR: addressVariable('token'),
  OAUTH2_CLIENT_REGISTRY_ADDR: addressVariable('client-registry'),
  OAUTH2_IDENTITY_ADDR: addressVariable('identity'),
  OAUTH2_EVENTS_ADDR: addressVariable('events'),
  OAUTH2_REGISTRATION: Type.Enum(['open', 'token', 'closed'], {
    default: 'open',
    rule: 'one of open, token, closed',
    description: 'Who may register a client: anybody, who has OAUTH2_REGISTRATION_TOKEN, or nobody.',
  }),
  OAUTH2_REGISTRATION_TOKEN: Type.Optional(
    Type.String({
      minLength: 32,
      secret: true,
      rule: 'a text of at least 32 characters',
      defaultText: 'none',
      description: 'The bearer token that a registration needs with OAUTH2_REGISTRATION=token.',
    }),
  ),
  OAUTH2_CORS_ORIGINS: Type.Optional(
    Type.String({
      pattern: '^https?://[^/\\s]+( https?://[^/\\s]+)*$',
      rule: 'origins such as https://app.example.com with one space between two',
      defaultText: 'none',
      description:
        'The origins whose pages may call token, introspect and revoke. Discovery and JWKS are open to every origin.',
    }),
  ),
})
