import { processVariables, rpcVariables } from '@gatehouse/kit/config'
import { Type } from 'typebox'

/** The events service's variables. */
export const eventsConfig = Type.Object({ ...processVariables, ...rpcVariables })
