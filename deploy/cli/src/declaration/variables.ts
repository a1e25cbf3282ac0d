/** The variables that a file may read. */
export type Variables = {
  environment: Readonly<Record<string, string | undefined>>
  /** Names that an option allows besides those that begin with GATEHOUSE_. */
  allowed: readonly string[]
}

/** How deep values of a file may be nested. */
const deepest = 100

/**
 * Replaces `${NAME}` in texts by the variable of that name; `$${` stands for `${`. A file can come from another person, who must not
 * read the environment by it: only variables that begin with GATEHOUSE_ or are allowed by name.
 * @param fail throws an error that says what is wrong
 */
export function expand(value: unknown, variables: Variables, fail: (fault: string) => never): unknown {
  return expanded(value, [], { fail, read: (name) => variable(name, variables, fail) })
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
  if (!name.startsWith('GATEHOUSE_') && !allowed.includes(name))
    fail(
      `the variable ${name} may not be read: only those that begin with GATEHOUSE_ may, or that you allow with --variable ${name}`,
    )
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined
  return value ?? fail(`the variable ${name} is not set`)
}
