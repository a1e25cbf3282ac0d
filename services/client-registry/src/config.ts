import { databaseVariables } from '@gatehouse/data/database-variables'
import { addressVariable, processVariables, rpcVariables } from '@gatehouse/kit/config'
import { emissionVariables } from '@gatehouse/kit/emission-variables'
import { profileVariable, publicClientsVariable, scopesSupportedVariable } from '@gatehouse/proto/variables'
import { Type } from 'typebox'

/** The client registry's variables. */
export const clientRegistryConfig = Type.Object({
  ...processVariables,
  ...rpcVariables,
  ...databaseVariables,
  ...emissionVariables,
  ...profileVariable,
  ...scopesSupportedVariable,
  ...publicClientsVariable,
  OAUTH2_TOKEN_ADDR: addressVariable('token'),
})
