import { Refusal } from '@gatehouse/kit/errors'

/** The result for one item of a change of many: `done` if something was changed by it. */
export type ItemResult = { outcome: 'done' | 'unchanged' } | { outcome: 'refused'; reason: string }

/** Checks how much a request changes at once. @throws Refusal invalid_request */
export function checkNumber(field: string, items: readonly unknown[], most: number): void {
  if (items.length > most) throw new Refusal('invalid_request', `${field} must have at most ${most} items.`)
}

/** The result for an item that is refused. */
export function refused(reason: string): ItemResult {
  return { outcome: 'refused', reason }
}

/** The result for an item that a check refuses, with the words of the refusal; undefined if it does not. */
export function refusedBy(check: () => void): ItemResult | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return refused(error.description)
    throw error
  }
}
