import { type Bucket, type LimitDefinition, type LimitVariable, limits } from '@gatehouse/proto/limits'
import { type TInteger, Type } from '@gatehouse/proto/typebox'
import type { FastifyContextConfig } from 'fastify'

/** The schemas of the variables that set limits. */
export const limitVariables = Object.fromEntries(
  Object.values<LimitDefinition>(limits).flatMap(({ perMinute, variable }) =>
    variable?.where === undefined ? [] : [[variable.name, limitVariable(perMinute, variable.where)]],
  ),
) as Record<LimitVariable, TInteger>

function limitVariable(perMinute: number, where: string): TInteger {
  return Type.Integer({
    default: perMinute,
    minimum: 1,
    maximum: 1_000_000_000,
    rule: 'a whole number from 1 on',
    description: `How many requests a minute are allowed ${where}.`,
  })
}

/** How many requests a minute a limit allows: the variable that says it, or a fixed number. */
export function limitOf(bucket: Bucket): LimitVariable | number {
  const { perMinute, variable }: LimitDefinition = limits[bucket]
  return variable === undefined ? perMinute : (variable.name as LimitVariable)
}

/** The bucket in which the requests of a route count. */
export function bucketOf({ limit, limitByAdministrator }: FastifyContextConfig): Bucket {
  return limit ?? (limitByAdministrator ? 'admin' : 'other')
}

/** The same while nobody knows who sends the request: strangers use up nothing of what administrators have. */
export function bucketOfStrangers(config: FastifyContextConfig): Bucket {
  return config.limitByAdministrator ? 'other' : bucketOf(config)
}
