import type { Addition } from '../addition.ts'
import { after, instead, newFile } from '../edit.ts'

/** The name of the method. */
export const addedMethod = 'private_key_jwt'

const definitions = 'proto/client-authentication.ts'
const fieldTest = 'services/client-registry/test/clients/metadata-rules.test.ts'
const fieldTexts = 'services/console/src/clients/field-texts.ts'
const presented = 'services/gateway/src/oauth/presented.ts'
const proto = 'proto/gatehouse/token/v1/token.proto'
const reasonTexts = 'services/console/src/activity/texts/reason.ts'
const table = 'services/token/src/clients/methods/table.ts'
const types = 'services/token/src/clients/client-authentication.ts'

/**
 * A method that needs all that a method can need: a client presents an assertion (RFC 7523), signed with a key that is a new field of its
 * metadata, and it can fail for a reason of its own. It is simpler than the real one, which also remembers the assertions that it has seen.
 */
export const clientAuthenticationMethod: Addition = {
  name: 'a client authentication method',
  goal: 10,
  most: 10,
  entry: [
    after(
      definitions,
      `    first: true,
  },
`,
      `  ${addedMethod}: {
    keeps: 'keys',
    parameters: {
      client_assertion: 'A JWT of the client about itself (RFC 7523 section 2.2).',
      client_assertion_type: 'Of which kind it is.',
    },
    remark: '\`${addedMethod}\` for a client that signs with the key in \`jwk\`',
  },
`,
    ),
    after(definitions, `  no_secret: '',\n`, `  wrong_assertion: '',\n`),
  ],
  asks: [reasonTexts, table],
  rest: [
    after(
      'proto/client-metadata.ts',
      `  software_version: {
    kind: 'text',
    maxLength: 200,
    label: 'Software version',
    description: 'The version of the client’s software.',
    setBy: 'registration',
  },
`,
      `  jwk: {
    kind: 'text',
    maxLength: 1_000,
    label: 'Public key',
    description: 'The key with which the client signs assertions, as a JSON Web Key.',
    setBy: 'registration',
  },
`,
    ),
    after(
      fieldTexts,
      `    software_version: ['Software-Version', 'Die Version der Software des Clients.'],
`,
      `    jwk: ['Öffentlicher Schlüssel', 'Der Schlüssel, mit dem der Client signiert, als JSON Web Key.'],
`,
    ),
    after(
      fieldTexts,
      `    contacts: ['جهات الاتصال', 'كيف يمكن الوصول إلى المسؤولين عن العميل، مثل عناوين البريد الإلكتروني.'],
`,
      `    jwk: ['المفتاح العام', 'المفتاح الذي يوقّع به العميل، بصيغة JSON Web Key.'],
`,
    ),
    after(reasonTexts, `      no_secret: 'No secret sent',\n`, `      wrong_assertion: 'Wrong assertion',\n`),
    after(
      reasonTexts,
      `      no_secret: 'Kein Secret gesendet',\n`,
      `      wrong_assertion: 'Falsche Assertion',\n`,
    ),
    after(reasonTexts, `      no_secret: 'لم يُرسل سر',\n`, `      wrong_assertion: 'تأكيد خاطئ',\n`),
    after(
      proto,
      `  // The token in the Authorization header.
  optional PresentedToken token = 5;
`,
      `  // A JWT of the client about itself (RFC 7523 section 2.2).
  optional string assertion = 2;
`,
    ),
    after(
      types,
      `  /** The token in the Authorization header. */
  token?: PresentedToken | undefined
`,
      `  /** A JWT of the client about itself (RFC 7523 section 2.2). */
  assertion?: string | undefined
`,
    ),
    after(
      types,
      `  noteSecretUse?(clientId: string, digest: Uint8Array): void
`,
      `  /** The issuer of this server, which an assertion must be for. */
  issuer?: string
`,
    ),
    after(
      'services/token/src/main.ts',
      `    noteSecretUse: clients.noteSecretUse,
`,
      `    issuer,
`,
    ),
    instead(
      presented,
      `as { client_id?: string; client_secret?: string }`,
      `as { client_id?: string; client_secret?: string; client_assertion?: string }`,
    ),
    after(
      presented,
      `    const inForm = { clientId: clientId ?? '', clientSecret: clientSecret ?? '' }
`,
      `    if (form.client_assertion !== undefined && clientSecret === undefined)
      return { presented: { credentials: [inForm], assertion: form.client_assertion }, fault: undefined }
`,
    ),
    // Good and bad values of every field.
    after(fieldTest, `  software_version: '1.2.3 ✓',\n`, `  jwk: '{}',\n`),
    after(
      fieldTest,
      `  software_version: ['x'.repeat(201), 'a\\u202eb', true],\n`,
      `  jwk: ['x'.repeat(1_001), true],\n`,
    ),
    newFile(
      'services/token/src/clients/methods/private-key-jwt.ts',
      `import { createLocalJWKSet, jwtVerify } from 'jose'
import type { AuthenticationMethod } from './method.ts'

/** A client that signs an assertion with its key (OpenID Connect Core section 9). */
export const privateKeyJwt: AuthenticationMethod = {
  async judge({ client, presented: { assertion = '' } }, { issuer = '', now }) {
    try {
      const keys = createLocalJWKSet({ keys: [JSON.parse(client?.metadata.jwk ?? '')] })
      const name = client?.clientId ?? ''
      await jwtVerify(assertion, keys, {
        algorithms: ['ES256'],
        ...{ issuer: name, subject: name, audience: issuer },
        currentDate: new Date(now()),
        requiredClaims: ['exp'],
      })
      return {}
    } catch {
      return 'wrong_assertion'
    }
  },
}
`,
    ),
    after(
      table,
      `import { none } from './none.ts'
`,
      `import { privateKeyJwt } from './private-key-jwt.ts'
`,
    ),
    after(
      table,
      `  client_secret_post: clientSecret,
`,
      `  ${addedMethod}: privateKeyJwt,
`,
    ),
  ],
}
