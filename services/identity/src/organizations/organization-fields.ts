import { Refusal } from '@gatehouse/kit/errors'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import { isSlug, organizationLimits as limits, organizationIdPrefix } from '@gatehouse/proto/organizations'
import { hasPlainHost } from '@gatehouse/proto/web-origins'
import { hasLength } from '../basics/text.ts'

/** Texts by name. */
export type TextAttributes = Readonly<Record<string, string>>

/** The fields of an organization that are set by people. */
export type OrganizationSettings = {
  slug: string
  name: string
  /** An https address; undefined for none. */
  logoUri: string | undefined
  /** As #rrggbb; undefined for that of the server. */
  color: string | undefined
  attributes: TextAttributes
  secondFactorRequired: boolean
  /** Whether only logins by its own connections count in it, except for owners. See Membership for when that is so. */
  ssoRequired: boolean
}

/** Settings as they were sent: an empty logo or color is none. */
export type SentSettings = Omit<OrganizationSettings, 'attributes' | 'logoUri' | 'color'> & {
  logoUri: string
  color: string
  attributes: Readonly<Record<string, unknown>>
}

/**
 * Checks what people set. Of what is absent, nothing is checked.
 * @returns the settings as they are stored: without white space around texts, an empty logo or color as undefined
 * @throws Refusal invalid_request, which names the field
 */
export function checkSettings<Sent extends Partial<SentSettings>>(
  sent: Sent,
): Pick<OrganizationSettings, keyof Sent & keyof OrganizationSettings> {
  const checked = Object.entries(sent).map(([field, value]) => {
    const check = checks[field as keyof SentSettings]
    return [field, value === undefined ? undefined : check(value as never)]
  })
  return Object.fromEntries(checked)
}

const checks: { [Field in keyof SentSettings]-?: (value: NonNullable<SentSettings[Field]>) => unknown } = {
  slug(text) {
    if (!isSlug(text) || text.startsWith(organizationIdPrefix))
      throw invalid(
        'slug',
        `must have 1 to ${limits.slug} characters of a-z, 0-9 and -, with no - at an end, and must not begin with ${organizationIdPrefix}`,
      )
    return text
  },
  name(text) {
    const name = text.trim()
    const fault = textFault(name, limits.name)
    if (fault !== undefined) throw invalid('name', fault)
    return name
  },
  logoUri(text) {
    if (text === '') return undefined
    const isAddress = text.length <= limits.logoUri && /^https:\/\//i.test(text)
    const url = isAddress ? URL.parse(text) : null
    if (url === null || url.username !== '' || url.password !== '')
      throw invalid(
        'logo_uri',
        `must be an https URL of at most ${limits.logoUri.toLocaleString('en')} characters, without user name and password`,
      )
    // The Content-Security-Policy of pages names it.
    if (!hasPlainHost(url)) throw invalid('logo_uri', 'must have a host of letters, digits, dots and hyphens')
    return url.href
  },
  color(text) {
    if (text === '') return undefined
    if (!/^#[\da-f]{6}$/i.test(text)) throw invalid('color', 'must be a color such as #0b5cad')
    return text.toLowerCase()
  },
  attributes(sent) {
    const read = readAttributes(sent)
    if ('fault' in read) throw invalid('attributes', read.fault)
    return read.attributes
  },
  secondFactorRequired: (required) => required,
  ssoRequired: (required) => required,
}

/**
 * Reads attributes of an organization or of a member.
 * @returns them in the order of their names; or their fault, as the end of "attributes …"
 */
export function readAttributes(
  sent: Readonly<Record<string, unknown>>,
): { attributes: TextAttributes } | { fault: string } {
  const entries = Object.entries(sent)
  if (entries.length > limits.attributes) return { fault: `must be at most ${limits.attributes}` }
  for (const [name, value] of entries) {
    if (!attributeName.test(name))
      return {
        fault: `must have names of 1 to ${limits.attributeName} characters: a letter, then letters, digits, ".", "-" and "_"`,
      }
    const fault = typeof value === 'string' ? textFault(value, limits.attributeValue) : 'must be a text'
    if (fault !== undefined) return { fault: `must have valid texts: ${name} ${fault}` }
  }
  const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return { attributes: Object.fromEntries(sorted) as TextAttributes }
}

const attributeName = /^[A-Za-z][\w.-]{0,63}$/

/** Attributes that are stored, in the order of their names: PostgreSQL sorts those of a jsonb by length. */
export function attributesIn(stored: unknown): TextAttributes {
  const entries = Object.entries(Object(stored)).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1))) as TextAttributes
}

function textFault(text: string, most: number): string | undefined {
  return hasLength(text, 1, most) ? visibleTextFault(text) : `must have 1 to ${most} characters`
}

function invalid(field: string, fault: string): Refusal {
  return new Refusal('invalid_request', `${field} ${fault}.`)
}
