import {
  addressVariable,
  databaseVariables,
  processVariables,
  publicClientsVariable,
  rpcVariables,
  scopesSupportedVariable,
} from '@gatehouse/kit/config'
import { emissionVariables } from '@gatehouse/kit/emission-variables'
import { Type } from 'typebox'

/** The client registry's variables. */
export const clientRegistryConfig = Type.Object({
  ...processVariables,
  ...rpcVariables,
  ...databaseVariables,
  ...emissionVariables,
  ...scopesSupportedVariable,
  ...publicClientsVariable,
  OAUTH2_TOKEN_ADDR: addressVariable('token'),
})
