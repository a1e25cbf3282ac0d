import { type TOptional, type TString, Type } from '@gatehouse/proto/typebox'
import { ConfigurationError, secretLengthRules } from '../config/config.ts'
import { nextVariableOf } from './keyring.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * The variable with the other value of a secret one while that is being changed (NAME_NEXT).
 * @param name the secret variable
 * @param shape the rule that its values follow, and whether a value that is too short is refused in production only
 */
export function nextVariable<Name extends string>(
  name: Name,
  { minLength, rule }: { minLength: number; rule: string },
): Record<`${Name}_NEXT`, TOptional<TString>> {
  const variable = nextVariableOf(name)
  const length = secretLengthRules(variable)
  const schema = Type.Optional(
    Type.String({
      minLength,
      secret: true,
      rule,
      defaultText: `none: ${name} is not being changed`,
      description: `The other value while ${name} is being changed: first the new one, then the old one. It verifies and decrypts; nothing is signed or encrypted with it. See docs/operate/secrets.md.`,
      check(values: Values) {
        if (values[variable] === undefined) return
        if (values[name] === undefined)
          throw new ConfigurationError(`${variable} is set without ${name}: set both`)
        if (values[variable] === values[name])
          throw new ConfigurationError(`${variable} must be another secret than ${name}`)
        length.check(values as never)
      },
      warning: (values: Values) =>
        values[variable] === undefined ? undefined : length.warning(values as never),
    }),
  )
  return { [variable]: schema } as Record<`${Name}_NEXT`, TOptional<TString>>
}
