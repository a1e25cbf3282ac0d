import { type TSchema, Type } from '@gatehouse/proto/typebox'
import { loadConfig } from '../config/load-config.ts'
import { fileVariableOf } from '../config/secret-file.ts'
import type { RepeatContext } from '../time/repeat.ts'
import { followFiles } from './follow-files.ts'

/** A secret variable of which the process needs the current value. */
export type FollowedSecret = {
  name: string
  /** Its schema: a value that it refuses is not taken. */
  schema: TSchema
  /** Its value at the start. */
  value: string
  /** Rejects a changed value that does not work yet: the one before stays in use, and it is tried again. */
  tryOut?: (value: string) => Promise<void>
  /** Takes each new one. */
  take?: (value: string) => void
  /** By default process.env. */
  environment?: Readonly<Record<string, string | undefined>>
  /** How often its file is looked at, in milliseconds. */
  lookEveryMs?: number
}

/**
 * Follows the file of a secret variable (NAME_FILE), if that is where its value comes from.
 * @returns a function that gives the current value
 * @throws ConfigurationError where the file cannot be read
 */
export async function followSecret(
  context: RepeatContext,
  { name, schema, value, tryOut, take, environment = process.env, lookEveryMs }: FollowedSecret,
): Promise<() => string> {
  const variable = fileVariableOf(name)
  const file = environment[variable]
  if (!file) return () => value
  const variables = Type.Object({ [name]: schema })
  let current: string | undefined
  current = await followFiles(context, {
    what: `reading ${variable}`,
    files: { [variable]: file },
    async make() {
      const found = loadConfig(variables, environment)[name] as string
      if (current !== undefined && found !== current) await tryOut?.(found)
      return found
    },
    take(found) {
      if (found === current) return
      current = found
      take?.(found)
      context.log.info({ variable: name }, 'the secret was read again')
    },
    lookEveryMs,
  })
  // The file changed while the process started.
  if (current !== value) take?.(current)
  return () => current as string
}
