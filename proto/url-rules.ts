// Rules for variables with URLs that a pattern cannot say. None of their texts shows a value with a user name, which may have a password.

type Values = Readonly<Record<string, unknown>>

const textOf = (values: Values, name: string) => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** Refuses a URL that cannot be read. @param name the variable's name */
export function readableUrl(name: string) {
  return {
    fault(values: Values): string | undefined {
      const text = textOf(values, name)
      return text === undefined || URL.canParse(text)
        ? undefined
        : `${name} must be a URL with a valid host and a port from 1 to 65535`
    },
  }
}

/**
 * Refuses a URL that cannot be read, and one with user information (RFC 3986 section 3.2.1), which requests and browsers ignore or refuse.
 * @param name the variable's name
 */
export function plainUrl(name: string) {
  return {
    fault(values: Values): string | undefined {
      const text = textOf(values, name)
      const unreadable = readableUrl(name).fault(values)
      if (text === undefined || unreadable !== undefined) return unreadable
      // An empty user name counts, too.
      return /^[a-z]+:[/\\]*[^/\\?#]*@/i.test(text)
        ? `${name} must have no user name and no password`
        : undefined
    },
  }
}

/**
 * The same for an origin that others compare as a text, as apps do with an issuer (RFC 8414 section 3.3). Browsers and libraries write an
 * origin in one form alone (RFC 6454 section 6.1), so another form is warned of. The release after 0.7 refuses it.
 * @param name the variable's name
 */
export function canonicalOrigin(name: string) {
  return {
    ...plainUrl(name),
    warning(values: Values): string | undefined {
      const text = textOf(values, name)
      const canonical = text === undefined ? undefined : canonicalForm(text)
      return canonical === text
        ? undefined
        : `${name} is ${text}, which browsers and libraries write as ${canonical}: set that, here and as the issuer in all apps. The next release refuses other forms.`
    },
  }
}

/**
 * Warns of origins that no browser sends in this form (RFC 6454 section 6.1), so that they never match.
 * @param name the name of a variable with origins, separated by single spaces
 */
export function canonicalOrigins(name: string) {
  return {
    warning(values: Values): string | undefined {
      const origins = textOf(values, name)?.split(' ') ?? []
      const wrong = origins.filter((text) => text !== '*' && canonicalForm(text) !== text)
      const pairs = wrong.map((text) => `${text} (write ${canonicalForm(text) ?? 'a valid origin'})`)
      return wrong.length === 0 ? undefined : `${name} has origins that match no browser: ${pairs.join(', ')}`
    },
  }
}

function canonicalForm(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined
}
