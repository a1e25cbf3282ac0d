import { databaseVariables } from '@gatehouse/data/database-variables'
import { processVariables, rpcVariables } from '@gatehouse/kit/config/config'
import { emittedTypesVariables, eventingSwitch } from '@gatehouse/kit/events/emission-variables'
import { Type } from '@gatehouse/proto/typebox'
import { auditLogDaysVariable, publicBaseUrlVariable } from '@gatehouse/proto/variables'
import { backendVariables } from './backends/table.ts'

/** The events service's variables. */
export const eventsConfig = Type.Object({
  ...processVariables,
  ...rpcVariables,
  ...databaseVariables,
  ...publicBaseUrlVariable,
  ...auditLogDaysVariable,
  ...eventingSwitch,
  ...emittedTypesVariables,
  ...backendVariables,
})
