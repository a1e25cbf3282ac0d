import { Refusal } from '@gatehouse/kit/errors'

/**
 * Refuses a request that lacks one of its grant's parameters.
 * @param parameters by name; empty: missing
 * @throws Refusal invalid_request that names the first one missing
 */
export function requireParameters(parameters: Record<string, string>): void {
  const missing = Object.keys(parameters).find((name) => parameters[name] === '')
  if (missing) throw new Refusal('invalid_request', `The parameter ${missing} is missing.`)
}
