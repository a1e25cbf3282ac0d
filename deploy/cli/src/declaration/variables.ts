/** The variables that a file may read. */
export type Variables = {
  environment: Readonly<Record<string, string | undefined>>
  /** Names that an option allows besides those that begin with GATEHOUSE_. */
  allowed: readonly string[]
}

/** How deep values of a file may be nested. */
const deepest = 100

/** How the command itself logs in. A file that may show them in a name, for example, is told so by name. */
const ownCredentials = ['GATEHOUSE_PASSWORD', 'GATEHOUSE_TOKEN', 'GATEHOUSE_CLIENT_SECRET']

/**
 * Replaces `${NAME}` in texts by the variable of that name; `$${` stands for `${`. A file can come from another person, who must not
 * read the environment by it: only variables that begin with GATEHOUSE_, the command's own credentials left out, or are allowed by name.
 * @param fail throws an error that says what is wrong
 */
export function expand(value: unknown, variables: Variables, fail: (fault: string) => never): unknown {
  return expanded(value, [], { fail, read: (name) => variable(name, variables, fail) })
}

/** Writes the texts of a value so that `expand` gives them back, although they contain `${`. */
export function withoutVariables(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\$\{[^}]*\}/g, (whole) => `$${whole}`)
  if (Array.isArray(value)) return value.map(withoutVariables)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutVariables(item)]))
}

/** @param around the values in which this one is, the outermost first */
function expanded(
  value: unknown,
  around: readonly unknown[],
  means: { fail(fault: string): never; read(name: string): string },
): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\$(\$?)\{([^}]*)\}/g, (whole, escaped: string, name: string) =>
      escaped ? whole.slice(1) : means.read(name),
    )
  if (typeof value !== 'object' || value === null) return value
  if (around.includes(value)) means.fail('an alias stands for what it is in')
  if (around.length === deepest) means.fail(`it is nested more than ${deepest} levels deep`)
  const inside = [...around, value]
  if (Array.isArray(value)) return value.map((item) => expanded(item, inside, means))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, expanded(item, inside, means)]),
  )
}

function variable(name: string, { environment, allowed }: Variables, fail: (fault: string) => never): string {
  if (ownCredentials.includes(name) && !allowed.includes(name))
    fail(`the variable ${name} is how this command logs in: allow it with --variable ${name}`)
  if (!name.startsWith('GATEHOUSE_') && !allowed.includes(name))
    fail(
      `the variable ${name} may not be read: only those that begin with GATEHOUSE_ may, or that you allow with --variable ${name}`,
    )
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined
  return value ?? fail(`the variable ${name} is not set`)
}
