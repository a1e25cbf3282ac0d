import buildValidators, { type BuildCompilerFromPool } from '@fastify/ajv-compiler'
import buildSerializers from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Controller = NonNullable<FastifyServerOptions['schemaController']>
/** A compiled schema as Fastify needs it. Fastify reads the errors from the function, as Ajv leaves them there. */
type Validate = { (data: unknown): unknown; errors?: unknown }

const validators = buildValidators()
const serializers = buildSerializers()

/**
 * Fastify's own compilers of schemas, but each schema is compiled when the first request needs it. To compile all of them was
 * a fifth of the CPU time of the gateway's start, and most processes never need most of them.
 */
export const compileOnFirstUse: Controller = {
  compilersFactory: {
    buildValidator: ((...options) => {
      const compile = validators(...options)
      return (...route) => {
        let compiled: Validate | undefined
        const validate: Validate = (data: unknown) => {
          compiled ??= compile(...route) as Validate
          const valid = compiled(data)
          validate.errors = compiled.errors
          return valid
        }
        return validate
      }
    }) as BuildCompilerFromPool,
    buildSerializer(schemas, options) {
      const compile = serializers(schemas, options)
      return (route) => {
        let compiled: ReturnType<typeof compile> | undefined
        return (data) => {
          compiled ??= compile(route)
          return compiled(data)
        }
      }
    },
  },
}
