import { type ClientField, isWebOrigin, longestUrl } from '@gatehouse/proto/client-metadata'
import { identifierFault } from '@gatehouse/proto/resource-servers'

/** Says what is wrong with a value; undefined when it is valid. */
type FaultOf = (value: string) => string | undefined

/** The rules that several fields share. */
export type SharedRules = {
  /** The rule for texts, besides their length; its fault is the rest of a sentence that begins with the field's name. */
  textFault: FaultOf
  /** The rule for redirect URIs; its fault is the rest of a sentence that begins with the URI. */
  redirectUriFault: FaultOf
}

/**
 * Says what is wrong with a value, as the rest of a sentence that begins with the field's name.
 * @returns undefined when the value is valid
 */
export function faultOf(
  field: ClientField,
  value: unknown,
  { textFault, redirectUriFault }: SharedRules,
): string | undefined {
  const faultOfText = (text: unknown, maxLength: number) => {
    if (typeof text !== 'string' || text === '' || [...text].length > maxLength)
      return `must be a text of 1 to ${maxLength} characters`
    return textFault(text)
  }
  switch (field.kind) {
    case 'text':
      return (
        faultOfText(value, field.maxLength) ?? (field.resource ? identifierFault(String(value)) : undefined)
      )
    case 'texts':
      if (!Array.isArray(value) || value.length > field.maxItems)
        return `must be a list of at most ${field.maxItems} texts`
      return value.map((text) => faultOfText(text, field.maxLength)).find((fault) => fault !== undefined)
    case 'url':
      if (!isWebAddress(value)) return 'must be an http or https URL'
      return field.called && !maySafelyBeCalled(value)
        ? 'must be an https URL without user name, password and fragment; http is only for localhost, 127.0.0.1 and [::1]'
        : undefined
    case 'urls':
      return faultOfUrls(value, field.maxItems, field.origins ? originFault : redirectUriFault)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'choice':
      return field.choices.some((choice) => choice === value)
        ? undefined
        : `must be one of ${field.choices.join(', ')}`
    case 'integer':
      return Number.isInteger(value) && Number(value) >= field.minimum && Number(value) <= field.maximum
        ? undefined
        : `must be a whole number from ${field.minimum} to ${field.maximum}`
  }
}

function faultOfUrls(value: unknown, maxItems: number, urlFault: FaultOf): string | undefined {
  if (!Array.isArray(value) || value.length > maxItems) return `must be a list of at most ${maxItems} URLs`
  for (const [index, url] of value.entries()) {
    const fault = typeof url === 'string' ? urlFault(url) : 'is not a text'
    if (fault !== undefined) return `is invalid: entry ${index + 1} ${fault}`
  }
  return undefined
}

function originFault(text: string): string | undefined {
  return isWebOrigin(text)
    ? undefined
    : 'must be an http or https origin as browsers send it, such as https://app.example.com'
}

function isWebAddress(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > longestUrl) return false
  return /^https?:\/\/[\x21-\x7e]+$/.test(value) && URL.canParse(value)
}

/** Whether requests to a URL are encrypted or stay on this machine. A fragment would not be sent (RFC 3986 section 3.5). */
function maySafelyBeCalled(address: string): boolean {
  const { protocol, hostname, username, password } = new URL(address)
  if (address.includes('#') || username !== '' || password !== '') return false
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
