import { databaseVariables } from '@gatehouse/data/database-variables'
import { addressVariable, processVariables, rpcVariables } from '@gatehouse/kit/config'
import { emissionVariables } from '@gatehouse/kit/emission-variables'
import { openidVariable, profileVariable, publicBaseUrlVariable } from '@gatehouse/proto/variables'
import { type Static, Type } from 'typebox'
import { socialVariables } from './social/variables.ts'

/** The identity service's variables. */
export const identityConfig = Type.Object({
  ...processVariables,
  ...rpcVariables,
  ...databaseVariables,
  ...emissionVariables,
  ...profileVariable,
  ...openidVariable,
  ...publicBaseUrlVariable,
  ...socialVariables,
  OAUTH2_TOKEN_ADDR: addressVariable('token'),
  OAUTH2_SEED_USERNAME: Type.String({
    default: 'admin',
    minLength: 1,
    maxLength: 200,
    pattern: '^(?![Cc][Ll][Ii][Ee][Nn][Tt]_)[^\\s\\p{Cc}\\p{Cf}\\p{Cs}]+$',
    rule: 'a user name: no white space or control character, not beginning with client_',
    description: 'The administrator who is created when there is no such user yet.',
  }),
  OAUTH2_SEED_PASSWORD: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 1_024,
      secret: true,
      rule: 'a password of 8 to 1024 characters',
      defaultText:
        'generated and printed once by the local launcher; elsewhere none, and no administrator is created',
      description: 'The password that this administrator gets. It never overwrites a changed one.',
    }),
  ),
})

/** The same, with their values. */
export type IdentityConfig = Static<typeof identityConfig>
