import type { Static, TObject, TSchema } from '@gatehouse/proto/typebox'
import { Check, Errors } from '@gatehouse/proto/typebox/value'
import type { VariableOptions } from './config.ts'
import { ConfigurationError } from './configuration-error.ts'
import { secretOf } from './secret-file.ts'

/**
 * Reads a process's variables once. An empty variable counts as absent. The value of a secret one may be in a file (`secretOf`).
 * @param schema one property per variable
 * @param environment usually process.env; it is not changed
 * @returns the values with their types and defaults, frozen
 * @throws ConfigurationError naming every wrong variable, with its rule and the shape of its value
 */
export function loadConfig<Schema extends TObject>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): Readonly<Static<Schema>> {
  const { values, faults } = validate(schema, environment)
  const checks = optionsOf(schema).map(({ check, fault }) => () => {
    check?.(values as never)
    const line = fault?.(values as never)
    if (line !== undefined) throw new ConfigurationError(line)
  })
  const lines = new Set([...faults.values(), ...faultsOf(checks)])
  if (lines.size > 0) throw new ConfigurationError([...lines].join('\n'))
  return Object.freeze(values) as Readonly<Static<Schema>>
}

/** Warnings about variables that do not stop the start, for the person who starts the process. */
export function warningsOf<Schema extends TObject>(
  schema: Schema,
  config: Readonly<Static<Schema>>,
): string[] {
  return optionsOf(schema).flatMap(({ warning }) => warning?.(config as never) ?? [])
}

/**
 * Runs several checks.
 * @returns the lines of all ConfigurationErrors that they threw
 * @throws any other error that they throw
 */
function faultsOf(checks: readonly (() => unknown)[]): string[] {
  return checks.flatMap((check) => {
    try {
      check()
    } catch (error) {
      if (error instanceof ConfigurationError) return error.message.split('\n').filter((line) => line !== '')
      throw error
    }
    return []
  })
}

function optionsOf(schema: TObject): VariableOptions[] {
  return Object.values(schema.properties) as (TSchema & VariableOptions)[]
}

/** The text of a variable that is set, or that has a default because of another variable. */
function textOf(
  name: string,
  { defaultsBy, secret }: VariableOptions,
  environment: Record<string, string | undefined>,
): string | undefined {
  const own = secret ? secretOf(name, environment) : environment[name]
  const other = defaultsBy && environment[defaultsBy.variable]
  return own || String((other && defaultsBy.values[other]) ?? '') || undefined
}

/** Values by name, and a line for each variable that is wrong and so has no value. */
type Validated = { values: Record<string, unknown>; faults: ReadonlyMap<string, string> }

function validate(schema: TObject, environment: Record<string, string | undefined>): Validated {
  const values: Record<string, unknown> = {}
  const faults = new Map<string, string>()
  const required = new Set<string>(schema.required)
  for (const [name, variable] of Object.entries(
    schema.properties as Record<string, TSchema & VariableOptions>,
  )) {
    let text: string | undefined
    try {
      text = textOf(name, variable, environment)
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      faults.set(name, error.message)
      continue
    }
    const value = text === undefined ? Object(variable).default : typed(text, variable)
    if (value === undefined && !required.has(name)) continue
    if (value !== undefined && Check(variable, value)) values[name] = value
    else faults.set(name, `${name} ${faultOf(variable, value)}; ${shownAs(text, variable)}`)
  }
  return { values: faults.size === 0 ? values : withoutFaulty(values, faults), faults }
}

/** A text as the type of its variable. One that does not have this type stays a text, which the schema refuses. */
function typed(text: string, variable: TSchema): unknown {
  const { type } = variable as { type?: string }
  if (type === 'integer' || type === 'number') return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return text
}

function faultOf(variable: TSchema & VariableOptions, value: unknown): string {
  if (variable.rule) return `must be ${variable.rule}`
  if (value === undefined) return 'must be set'
  return Errors(variable, value)[0]?.message ?? 'is wrong'
}

function shownAs(text: string | undefined, { secret }: TSchema & VariableOptions): string {
  if (text === undefined) return 'it is not set'
  // A URL may have a password in front of its host.
  const shown = secret !== true && text.length <= 60 && !/:\/\/.*@/s.test(text)
  return shown ? `it is ${JSON.stringify(text)}` : `its value has ${text.length} characters`
}

/** A check that reads a wrong variable ends there: the variable is reported already. */
function withoutFaulty(values: Record<string, unknown>, faults: ReadonlyMap<string, string>) {
  return new Proxy(values, {
    get(target, name: string) {
      if (faults.has(name)) throw new ConfigurationError('')
      return target[name]
    },
  })
}
