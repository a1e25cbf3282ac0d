import { Refusal } from '@gatehouse/kit/errors'

/** The parameters of a form, each at most once. */
export type Form = Record<string, string>

/** No request of ours has more parameters than this. */
const mostParameters = 100

/**
 * Reads application/x-www-form-urlencoded in UTF-8 (RFC 6749 appendix B). A parameter without a value counts as omitted,
 * and none may be repeated (section 3.2). It is written by hand because it runs for every request, and because the common
 * parsers accept malformed escapes and repeated parameters.
 * @throws Refusal invalid_request
 */
export function parseForm(text: string): Form {
  // Bytes that are not UTF-8 have become this character.
  if (text.includes('\ufffd')) throw new Refusal('invalid_request', 'The body is not UTF-8.')
  const form: Form = Object.create(null)
  const seen = new Set<string>()
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('&', start)
    const end = next === -1 ? text.length : next
    if (end > start) addParameter(text.slice(start, end), form, seen)
    start = end + 1
  }
  return form
}

function addParameter(parameter: string, form: Form, seen: Set<string>): void {
  const equals = parameter.indexOf('=')
  const name = formDecode(equals === -1 ? parameter : parameter.slice(0, equals))
  if (seen.has(name)) {
    // A body that is only a secret reads as a parameter's name, so the name must not get into the log.
    const detail = 'a parameter is repeated'
    throw new Refusal('invalid_request', `The parameter ${quote(name)} is repeated.`, { detail })
  }
  if (seen.size >= mostParameters) throw new Refusal('invalid_request', 'There are too many parameters.')
  seen.add(name)
  const value = equals === -1 ? '' : formDecode(parameter.slice(equals + 1))
  if (value !== '') form[name] = value
}

/** The part of a URL after `?`; empty when there is none. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/**
 * Decodes one name or value of a form.
 * @throws Refusal invalid_request when an escape is malformed or the text contains a NUL, which cannot be stored
 */
export function formDecode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  let decoded = spaced
  if (spaced.includes('%')) {
    try {
      decoded = decodeURIComponent(spaced)
    } catch {
      throw new Refusal('invalid_request', 'The request has a malformed percent-encoding.')
    }
  }
  if (decoded.includes('\0')) throw new Refusal('invalid_request', 'The request has a NUL character.')
  return decoded
}

/** Makes a caller's name for something safe for an error description: short, and without quotes (RFC 6749 section 5.2). */
export function quote(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : 'with a strange name'
}
