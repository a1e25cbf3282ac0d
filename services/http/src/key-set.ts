import { unchecked } from './schemas.ts'

const text = { type: 'string' }

/** A public key (RFC 7517 section 4). The members that its type has stay as they are. */
export const keySchema = {
  type: 'object',
  title: 'JsonWebKey',
  description: 'A public key (RFC 7517): `kty`, its other members, and whatever else was sent with it.',
  additionalProperties: true,
  ...unchecked({
    properties: {
      kty: { ...text, description: 'EC, OKP or RSA.' },
      kid: { ...text, description: 'The name of the key in the header of assertions.' },
      alg: { ...text, description: 'The only algorithm that the key is for.' },
    },
    required: ['kty'],
  }),
}

/**
 * The JSON Schema of a set of public keys (RFC 7517 section 5). Other members of a set are not kept in answers; those of a key are.
 * @param maxItems how many keys it may have
 */
export function keySetSchema(maxItems: number) {
  return {
    type: 'object',
    properties: { keys: { type: 'array', items: keySchema, ...unchecked({ maxItems }) } },
    ...unchecked({ required: ['keys'] }),
  }
}
