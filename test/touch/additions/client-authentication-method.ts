import type { Addition } from '../addition.ts'
import { after, newFile } from '../edit.ts'

/** The name of the method. */
export const addedMethod = 'attest_jwt_client_auth'

const definitions = 'proto/client-authentication.ts'
const fieldTest = 'services/client-registry/test/clients/metadata-rules.test.ts'
const fieldTexts = 'services/console/src/clients/field-texts.ts'
const presented = 'services/gateway/src/oauth/presented.ts'
const proto = 'proto/gatehouse/token/v1/token.proto'
const reasonTexts = 'services/console/src/activity/texts/reason.ts'
const table = 'services/token/src/clients/methods/table.ts'
const types = 'services/token/src/clients/client-authentication.ts'

/**
 * A method that needs all that a method can need: a client presents an attestation, signed with a key that is a new field of its metadata,
 * and it can fail for a reason of its own. It is simpler than the real one, which also demands a proof that the client has the attested key.
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
      client_attestation: 'A JWT of the backend of the app about the client.',
    },
    remark: '\`${addedMethod}\` for an app whose backend signs with the key in \`attester_key\`',
  },
`,
    ),
    after(definitions, `  no_secret: '',\n`, `  wrong_attestation: '',\n`),
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
      `  attester_key: {
    kind: 'text',
    maxLength: 1_000,
    label: 'Key of the attester',
    description: 'The key with which the backend signs attestations, as a JSON Web Key.',
    setBy: 'registration',
  },
`,
    ),
    after(
      fieldTexts,
      `    software_version: ['Software-Version', 'Die Version der Software des Clients.'],
`,
      `    attester_key: ['Schlüssel der Attestierung', 'Der Schlüssel, mit dem das Backend signiert, als JSON Web Key.'],
`,
    ),
    after(
      fieldTexts,
      `    contacts: ['جهات الاتصال', 'كيف يمكن الوصول إلى المسؤولين عن العميل، مثل عناوين البريد الإلكتروني.'],
`,
      `    attester_key: ['مفتاح التصديق', 'المفتاح الذي توقّع به الخلفية، بصيغة JSON Web Key.'],
`,
    ),
    after(
      reasonTexts,
      `      no_secret: 'No secret sent',\n`,
      `      wrong_attestation: 'Wrong attestation',\n`,
    ),
    after(
      reasonTexts,
      `      no_secret: 'Kein Secret gesendet',\n`,
      `      wrong_attestation: 'Falsche Attestierung',\n`,
    ),
    after(reasonTexts, `      no_secret: 'لم يُرسل سر',\n`, `      wrong_attestation: 'تصديق خاطئ',\n`),
    after(
      proto,
      `  // The token in the Authorization header.
  optional PresentedToken token = 5;
`,
      `  // A JWT of the backend of an app about the client.
  optional string attestation = 8;
`,
    ),
    after(
      types,
      `  /** The token in the Authorization header. */
  token?: PresentedToken | undefined
`,
      `  /** A JWT of the backend of an app about the client. */
  attestation?: string | undefined
`,
    ),
    after(
      presented,
      `type AssertionForm = {
  client_id?: string
`,
      `  client_attestation?: string
`,
    ),
    after(
      presented,
      `  const { client_assertion: assertion, client_assertion_type: assertionType } = form
`,
      `  const { client_attestation: attestation } = form
  if (attestation !== undefined) return { presented: { ...reading.presented, attestation }, fault: reading.fault }
`,
    ),
    // Good and bad values of every field.
    after(fieldTest, `  software_version: '1.2.3 ✓',\n`, `  attester_key: '{}',\n`),
    after(
      fieldTest,
      `  software_version: ['x'.repeat(201), 'a\\u202eb', true],\n`,
      `  attester_key: ['x'.repeat(1_001), true],\n`,
    ),
    newFile(
      'services/token/src/clients/methods/attestation.ts',
      `import { createLocalJWKSet, jwtVerify } from 'jose'
import type { AuthenticationMethod } from './method.ts'

/** A client for which the backend of its app vouches. */
export const attestation: AuthenticationMethod = {
  async judge({ client, presented }, { audiences: { issuer }, now }) {
    try {
      const keys = createLocalJWKSet({ keys: [JSON.parse(client?.metadata.attester_key ?? '')] })
      await jwtVerify(presented.attestation ?? '', keys, {
        algorithms: ['ES256'],
        ...{ subject: client?.clientId ?? '', audience: issuer },
        currentDate: new Date(now()),
        requiredClaims: ['exp'],
      })
      return {}
    } catch {
      return 'wrong_attestation'
    }
  },
}
`,
    ),
    after(
      table,
      `import type { Client, ClientAuthenticationDeps } from '../client-authentication.ts'
`,
      `import { attestation } from './attestation.ts'
`,
    ),
    after(
      table,
      `  client_secret_post: clientSecret,
`,
      `  ${addedMethod}: attestation,
`,
    ),
  ],
}
