import { Refusal } from '@gatehouse/kit/errors'

/**
 * Refuses a request that lacks one of its grant's parameters.
 * @param parameters by name; an empty value counts as missing
 * @throws Refusal invalid_request, which names the first missing parameter
 */
export function requireParameters(parameters: Record<string, string>): void {
  const missing = Object.keys(parameters).find((name) => parameters[name] === '')
  if (missing) throw new Refusal('invalid_request', `The parameter ${missing} is missing.`)
}
