import { Refusal } from '@gatehouse/kit/errors'

/** The parameters of a form, each at most once. */
export type Form = Record<string, string>

/** More parameters than this are no request of ours. */
const mostParameters = 100

/**
 * Reads application/x-www-form-urlencoded as RFC 6749 appendix B and section 3.2 want it: in UTF-8, a parameter
 * without a value as if it were not there, and none twice. Written by hand because it runs for every request, and
 * because the common parsers let malformed escapes and repeated parameters pass.
 * @throws Refusal invalid_request
 */
export function parseForm(text: string): Form {
  // A byte that is not UTF-8 has become this character.
  if (text.includes('\ufffd')) throw new Refusal('invalid_request', 'The body is not UTF-8.')
  const form: Form = Object.create(null)
  const seen = new Set<string>()
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('&', start)
    const end = next === -1 ? text.length : next
    if (end > start) addParameter(text, start, end, form, seen)
    start = end + 1
  }
  return form
}

function addParameter(text: string, start: number, end: number, form: Form, seen: Set<string>): void {
  const equals = text.indexOf('=', start)
  const hasValue = equals !== -1 && equals < end
  const name = formDecode(text.slice(start, hasValue ? equals : end))
  if (seen.has(name)) {
    // A form that is a secret and nothing else has it for a name, which must not get into the log.
    const detail = 'a parameter is repeated'
    throw new Refusal('invalid_request', `The parameter ${quote(name)} is repeated.`, { detail })
  }
  if (seen.size >= mostParameters) throw new Refusal('invalid_request', 'There are too many parameters.')
  seen.add(name)
  const value = hasValue ? formDecode(text.slice(equals + 1, end)) : ''
  if (value !== '') form[name] = value
}

/** The part of an address after `?`; empty where there is none. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/**
 * Decodes one name or value of a form.
 * @throws Refusal invalid_request when an escape is malformed, or it contains a NUL, which no store can keep
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

/** A caller's name for something, for an error description: RFC 6749 section 5.2 allows no quotes, and it must stay short. */
export function quote(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : 'with a strange name'
}
