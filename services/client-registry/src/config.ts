import { databaseVariables } from '@gatehouse/data/database-variables'
import { addressVariable, processVariables, rpcVariables } from '@gatehouse/kit/config'
import { emissionVariables } from '@gatehouse/kit/emission-variables'
import {
  profileVariable,
  publicBaseUrlVariable,
  publicClientsVariable,
  resourceIndicatorsVariable,
  scopesSupportedVariable,
} from '@gatehouse/proto/variables'
import { Type } from 'typebox'

/** The client registry's variables. */
export const clientRegistryConfig = Type.Object({
  ...processVariables,
  ...rpcVariables,
  ...databaseVariables,
  ...emissionVariables,
  ...profileVariable,
  ...publicBaseUrlVariable,
  ...scopesSupportedVariable,
  ...resourceIndicatorsVariable,
  ...publicClientsVariable,
  OAUTH2_TOKEN_ADDR: addressVariable('token'),
})
