import { envSchema } from 'env-schema'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { VariableOptions } from './config.ts'
import { ConfigurationError } from './configuration-error.ts'

/**
 * Reads a process's variables once. An empty variable counts as absent.
 * @param schema one property per variable
 * @param environment usually process.env; it is not changed
 * @returns the values with their types and defaults, frozen
 * @throws ConfigurationError naming every wrong variable, with its rule and the shape of its value
 */
export function loadConfig<Schema extends TObject>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): Readonly<Static<Schema>> {
  const { values, faults } = validate(schema, presentIn(schema, environment))
  const checks = optionsOf(schema).flatMap(({ check }) => (check ? [() => check(values as never)] : []))
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

/** The variables that are set, and those that have a default because of another variable. */
function presentIn(schema: TObject, environment: Record<string, string | undefined>): Record<string, string> {
  const properties = Object.entries(schema.properties) as [string, TSchema & VariableOptions][]
  const values = properties.map(([name, { defaultsBy }]) => {
    const other = defaultsBy && environment[defaultsBy.variable]
    return [name, environment[name] || String((other && defaultsBy.values[other]) ?? '')] as const
  })
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

/** Values by name, and a line for each variable that is wrong and so has no value. */
type Validated = { values: Record<string, unknown>; faults: ReadonlyMap<string, string> }

function validate(schema: TObject, present: Record<string, string>): Validated {
  try {
    const values = envSchema<Record<string, unknown>>({
      schema: { ...schema },
      data: { ...present },
      env: false,
      ajv: { customOptions: { strict: false } as never },
    })
    return { values, faults: new Map() }
  } catch (error) {
    const { errors } = error as { errors?: Fault[] }
    if (errors === undefined) throw error
    const faults = describeFaults(schema, present, errors)
    const sound = Object.entries(schema.properties).filter(([name]) => !faults.has(name))
    const { values } = validate(Type.Object(Object.fromEntries(sound)), present)
    return { values: withoutFaulty(values, faults), faults }
  }
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

/** The part of a validation error that is used here. */
type Fault = { instancePath: string; params: { missingProperty?: string }; message?: string }

function describeFaults(
  schema: TObject,
  present: Record<string, string>,
  faults: Fault[],
): Map<string, string> {
  const lines = new Map<string, string>()
  for (const fault of faults) {
    const name = fault.params.missingProperty ?? fault.instancePath.slice(1)
    const variable = schema.properties[name] as (TSchema & VariableOptions) | undefined
    const rule = variable?.rule ? `must be ${variable.rule}` : (fault.message ?? 'is wrong')
    const value = present[name]
    const now = value === undefined ? 'it is not set' : `its value has ${value.length} characters`
    const shown = value !== undefined && variable?.secret !== true && value.length <= 60
    lines.set(name, `${name} ${rule}; ${shown ? `it is ${JSON.stringify(value)}` : now}`)
  }
  return lines
}
