import { canonicalUuid } from '@gatehouse/kit/formats'
import { AssignmentOutcome, type AssignmentResult } from '@gatehouse/proto/identity/v1'
import { type TProperties, Type } from '@gatehouse/proto/typebox'

/** The fields that the result of each item of a change has. */
export const resultFields = {
  outcome: Type.Enum(['done', 'unchanged', 'refused'], {
    description: '`done`; `unchanged`: it was so before; `refused`: see `reason`.',
  }),
  reason: Type.Optional(Type.String({ description: 'Why it was refused, in words.' })),
}

/** A result as JSON. */
type ResultBody = { outcome: 'done' | 'unchanged' | 'refused'; reason?: string }

/** The schema of the results of one part of a change. @param fields those that name the item */
export function results<Fields extends TProperties>(fields: Fields, description: string) {
  return Type.Array(Type.Object({ ...fields, ...resultFields }), {
    description: `${description} In the order of the request.`,
  })
}

const outcomes: Readonly<Record<number, ResultBody['outcome']>> = {
  [AssignmentOutcome.ASSIGNMENT_OUTCOME_DONE]: 'done',
  [AssignmentOutcome.ASSIGNMENT_OUTCOME_UNCHANGED]: 'unchanged',
  [AssignmentOutcome.ASSIGNMENT_OUTCOME_REFUSED]: 'refused',
}

/** A service's result as JSON. @throws Error for none */
export function resultBody(result: AssignmentResult | undefined): ResultBody {
  const outcome = result && outcomes[result.outcome]
  if (outcome === undefined) throw new Error('the identity service gave no result')
  return { outcome, ...(result?.reason !== undefined && { reason: result.reason }) }
}

/** The result of an item that is refused here. */
export function refused(reason: string): ResultBody {
  return { outcome: 'refused', reason }
}

/** An id of a body, read as those in addresses are. */
export function idIn(text: string): string {
  return canonicalUuid(text) ?? text
}

/** The deadline of a change of many items, each of which the token service may have to be told. */
export const longDeadline = () => ({ deadline: Date.now() + 20_000 })

/** The fields that name a user in lists and results. */
export const userId = { user_id: Type.String() }
