import { Refusal } from '@gatehouse/kit/errors'

/** The parameters of a form. */
export type Form = Record<string, string>

/** No request of ours has more parameters than this. */
const mostParameters = 100

/**
 * Reads application/x-www-form-urlencoded in UTF-8 (RFC 6749 appendix B). A parameter without a value counts as omitted,
 * and none may be repeated (section 3.2). It is written by hand because it runs for every request, and because the common
 * parsers accept malformed escapes and repeated parameters.
 * @param repeatable a parameter that may be repeated; `valuesOf` reads its values
 * @throws Refusal invalid_request
 */
export function parseForm(text: string, repeatable?: string): Form {
  // Bytes that are not UTF-8 have become this character.
  if (text.includes('\ufffd')) throw new Refusal('invalid_request', 'The body is not UTF-8.')
  const form: Form = Object.create(null)
  const seen = new Set<string>()
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('&', start)
    const end = next === -1 ? text.length : next
    if (end > start) addParameter(text.slice(start, end), form, { seen, repeatable })
    start = end + 1
  }
  return form
}

/** Which parameters were seen, and which one may be repeated. */
type Parsing = { seen: Set<string>; repeatable: string | undefined }

/** Stands between the values of a repeatable parameter: no value has it, because `formDecode` refuses it. */
const valueSeparator = '\0'

function addParameter(parameter: string, form: Form, { seen, repeatable }: Parsing): void {
  const equals = parameter.indexOf('=')
  const name = formDecode(equals === -1 ? parameter : parameter.slice(0, equals))
  if (seen.has(name) && name !== repeatable) {
    // A body that is only a secret reads as a parameter's name, so the name must not get into the log.
    const detail = 'a parameter is repeated'
    throw new Refusal('invalid_request', `The parameter ${quote(name)} is repeated.`, { detail })
  }
  if (seen.size >= mostParameters) throw new Refusal('invalid_request', 'There are too many parameters.')
  const before = form[name]
  seen.add(name)
  const value = equals === -1 ? '' : formDecode(parameter.slice(equals + 1))
  if (value !== '') form[name] = before === undefined ? value : before + valueSeparator + value
}

/** The values of a repeatable parameter. @param joined its value in the form; undefined when it was not sent */
export function valuesOf(joined: string | undefined): string[] {
  return joined === undefined ? [] : joined.split(valueSeparator)
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
