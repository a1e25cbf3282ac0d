/** The rule for an attribute's value. */
type Rule =
  | { readonly kind: 'text'; readonly maxLength: number }
  | { readonly kind: 'email' | 'picture' | 'language' | 'zone' | 'boolean' }

/** An attribute of a user: a claim of OpenID Connect Core section 5.1. */
export type UserAttribute = Rule & {
  /** Its label in forms and lists. */
  readonly label: string
  readonly description: string
  /** The people who may set it: users themselves and administrators, or only administrators. */
  readonly setBy: 'users' | 'administrators'
  /** The scope that shows it to an app (OpenID Connect Core section 5.4). */
  readonly scope: 'profile' | 'email'
  /** The data that a browser may fill in for its user: a token of HTML's attribute `autocomplete`. */
  readonly autocomplete?: string
  /** The field of a user that has it in an export of Keycloak; without one, it is an attribute of the same name there. */
  readonly keycloak?: string
}

/**
 * The attributes of users, besides their names. To add an attribute, write its entry here: storage, the admin API, its pages,
 * the command line, the account page, social logins and docs/reference/user-attributes.md follow. Its name is the claim's.
 */
export const userAttributes = {
  name: {
    kind: 'text',
    maxLength: 200,
    label: 'Full name',
    description: 'The name as people write it, with all its parts.',
    setBy: 'users',
    scope: 'profile',
    autocomplete: 'name',
  },
  given_name: {
    kind: 'text',
    maxLength: 200,
    label: 'Given name',
    description: 'The first name or names.',
    setBy: 'users',
    scope: 'profile',
    autocomplete: 'given-name',
    keycloak: 'firstName',
  },
  family_name: {
    kind: 'text',
    maxLength: 200,
    label: 'Family name',
    description: 'The last name or names.',
    setBy: 'users',
    scope: 'profile',
    autocomplete: 'family-name',
    keycloak: 'lastName',
  },
  email: {
    kind: 'email',
    label: 'E-mail address',
    description: 'Where the user gets mail. Several users may have the same address.',
    setBy: 'administrators',
    scope: 'email',
    keycloak: 'email',
  },
  email_verified: {
    kind: 'boolean',
    label: 'E-mail address verified',
    description:
      'Whether the user has proved that the address is theirs. If the address changes, this becomes false unless the same change says otherwise.',
    setBy: 'administrators',
    scope: 'email',
    keycloak: 'emailVerified',
  },
  picture: {
    kind: 'picture',
    label: 'Picture',
    description: 'The https address of a picture.',
    setBy: 'users',
    scope: 'profile',
    autocomplete: 'photo',
  },
  locale: {
    kind: 'language',
    label: 'Language',
    description: 'A language tag, such as en or de-CH (BCP 47).',
    setBy: 'users',
    scope: 'profile',
    autocomplete: 'language',
  },
  zoneinfo: {
    kind: 'zone',
    label: 'Time zone',
    description: 'A time zone of the IANA database, such as Europe/Berlin.',
    setBy: 'users',
    scope: 'profile',
  },
} as const satisfies Record<string, UserAttribute>

/** The name of an attribute. */
export type UserAttributeName = keyof typeof userAttributes

type ValueOf<Attribute extends UserAttribute> = Attribute extends { kind: 'boolean' } ? boolean : string

/** A user's attributes; those that they do not have are absent. */
export type UserAttributes = {
  readonly [Name in UserAttributeName]?: ValueOf<(typeof userAttributes)[Name]>
}

/** Every attribute with its name, in the order of the table. */
export const userAttributeEntries = Object.entries(userAttributes) as [UserAttributeName, UserAttribute][]

/** Picks the attributes of the table from an object, in the order of the table. */
export function attributesIn(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found = userAttributeEntries.map(([name]) => [name, values[name]])
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

/** The JSON Schema of an attribute's value. */
export function attributeSchema(attribute: UserAttribute) {
  switch (attribute.kind) {
    case 'text':
      return { type: 'string', minLength: 1, maxLength: attribute.maxLength }
    case 'email':
      return { type: 'string', format: 'email', maxLength: longestEmail }
    case 'picture':
      return { type: 'string', format: 'uri', maxLength: longestUrl }
    case 'language':
    case 'zone':
      return { type: 'string', minLength: 1, maxLength: longestTag }
    case 'boolean':
      return { type: 'boolean' }
  }
}

/** In bytes of UTF-8 (RFC 5321 section 4.5.3.1; RFC 3696 erratum 1690). */
const longestEmail = 254
const longestLocalPart = 64
/** In characters. */
const longestUrl = 2_000
const longestTag = 100

/**
 * Normalises a value and checks it, in this order: a check of what was typed says nothing about what it becomes.
 * @param textFault says what is wrong with a text besides its length
 * @returns the value to store; or what is wrong, as the rest of a sentence that begins with the attribute's name
 */
export function readAttribute(
  attribute: UserAttribute,
  value: unknown,
  textFault: (text: string) => string | undefined,
): { value: string | boolean } | { fault: string } {
  if (attribute.kind === 'boolean')
    return typeof value === 'boolean' ? { value } : { fault: 'must be true or false' }
  const text = typeof value === 'string' && value.isWellFormed() ? value.normalize('NFC').trim() : ''
  switch (attribute.kind) {
    case 'text': {
      if (text === '' || [...text].length > attribute.maxLength)
        return { fault: `must be a text of 1 to ${attribute.maxLength} characters` }
      const fault = textFault(text)
      return fault === undefined ? { value: text } : { fault }
    }
    case 'email':
      return isEmail(text) && textFault(text) === undefined
        ? { value: text }
        : { fault: 'must be an e-mail address, such as ann@example.com' }
    case 'picture':
      return isPictureAddress(text) ? { value: text } : { fault: 'must be an https URL without a password' }
    case 'language': {
      const tag = languageTag(text)
      return tag ? { value: tag } : { fault: 'must be a language tag, such as en or de-CH' }
    }
    case 'zone': {
      const zone = timeZone(text)
      return zone ? { value: zone } : { fault: 'must be a time zone, such as Europe/Berlin' }
    }
  }
}

/** A part of an address between two dots: no quotes, no comments, nothing that a mail program would read as syntax. */
const word = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+"
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?'
const emailPattern = new RegExp(`^(${word}(?:\\.${word})*)@${label}(?:\\.${label})*$`, 'u')

/** Whether a text is an address as people write it (RFC 5322 section 3.4.1, RFC 6531), without the forms that nobody uses. */
function isEmail(text: string): boolean {
  if (bytesIn(text) > longestEmail) return false
  // A fullwidth letter or sign is another character to us, but the ASCII one to a program that folds such forms.
  if (text.normalize('NFKC') !== text) return false
  // The one letter that PostgreSQL's lower() makes another one's, an ASCII i: a@İ.example is not the address a@i.example.
  if (text.includes('\u0130')) return false
  const localPart = emailPattern.exec(text)?.[1]
  return localPart !== undefined && bytesIn(localPart) <= longestLocalPart
}

function bytesIn(text: string): number {
  return new TextEncoder().encode(text).length
}

function isPictureAddress(text: string): boolean {
  if (text.length > longestUrl || !/^https:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** A language tag in its canonical form; undefined for anything else. */
function languageTag(text: string): string | undefined {
  if (text.length > longestTag) return undefined
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

/** A time zone as the IANA database writes it; undefined for anything else, such as an offset. */
function timeZone(text: string): string | undefined {
  if (text.length > longestTag || !/^[a-z]/i.test(text)) return undefined
  try {
    const { timeZone: known } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    if (known.toLowerCase() === text.toLowerCase()) return known
  } catch {
    return undefined
  }
  // Another name of a zone, such as Asia/Kolkata, keeps its own spelling; Intl ignores case, so this does not.
  return /^[A-Z][\w+-]*(?:\/[A-Z][\w+-]*)*$/.test(text) ? text : undefined
}
