import fc from 'fast-check'
import { CommandFailure } from '../../../deploy/cli/src/failure.ts'
import { clientReading } from '../../../deploy/cli/src/import/client-file.ts'
import { firstLine } from '../../../deploy/cli/src/import/format.ts'
import { hydraClient } from '../../../deploy/cli/src/import/hydra-client.ts'
import { keycloakClient } from '../../../deploy/cli/src/import/keycloak-client.ts'
import { keycloakUser } from '../../../deploy/cli/src/import/keycloak-user.ts'
import { ownClient } from '../../../deploy/cli/src/import/own-client.ts'
import { ownUser } from '../../../deploy/cli/src/import/own-user.ts'
import { flatAuthority } from '../../../deploy/cli/src/import/roles/entries.ts'
import { nothingOf } from '../../../deploy/cli/src/import/roles/realm-authority.ts'
import { json, objects, texts } from '../inputs.ts'
import { must, target } from '../target.ts'

const text = fc.oneof(fc.constantFrom('', 'a', '/cb', 'https://a.example/*', '**', '+'), fc.string())
const list = fc.array(text, { maxLength: 3 })
const clients = objects({
  ...{
    clientId: text,
    client_id: text,
    secret: text,
    redirectUris: list,
    redirect_uris: list,
    rootUrl: text,
  },
  ...{
    publicClient: fc.boolean(),
    clientAuthenticatorType: text,
    attributes: objects({ 'post.logout.redirect.uris': text }),
  },
  ...{
    grant_types: list,
    audience: list,
    name: text,
    baseUrl: text,
    protocol: text,
    defaultClientScopes: list,
  },
  authorization_code_grant_access_token_lifespan: fc.constantFrom(
    '1h30m0s',
    '1h',
    'x',
    '99999999999999999999h',
  ),
})
const credentials = fc.array(
  objects({
    type: fc.constant('password'),
    secretData: fc.oneof(fc.constant('{"value":"YQ==","salt":"YQ=="}'), text),
    credentialData: fc.oneof(fc.constant('{"hashIterations":1,"algorithm":"pbkdf2-sha256"}'), text),
  }),
  { maxLength: 2 },
)
const users = objects({
  ...{
    username: text,
    id: text,
    email: text,
    firstName: text,
    lastName: text,
    enabled: fc.boolean(),
    credentials,
  },
  ...{
    createdTimestamp: fc.oneof(fc.integer(), fc.double()),
    attributes: objects({ locale: list, picture: list }),
  },
  federatedIdentities: fc.array(
    objects({ identityProvider: fc.constant('google'), userId: text, userName: text }),
  ),
})

/** Entries of files of other systems: an item for the API, or a sentence. */
const entries = target({
  name: 'import-entry',
  reads: ['hydra', 'keycloak', 'own']
    .flatMap((kind) => [`cli/src/import/${kind}-client.ts`])
    .concat('cli/src/import/keycloak-user.ts'),
  inputs: fc.oneof(clients, users, json(4)),
  check(value) {
    for (const prepare of [hydraClient, keycloakClient, keycloakUser, ownClient, ownUser]) {
      const prepared = prepare(value)
      must(typeof prepared.name === 'string', 'a name that is no text')
      if ('item' in prepared) JSON.stringify(prepared.item)
    }
  },
})

const roles = objects({
  ...{ name: text, path: text, description: text, realmRoles: list, clientRoles: objects({ shop: list }) },
  composites: objects({ realm: list, client: objects({ shop: list }) }),
  subGroups: fc.array(objects({ name: text, realmRoles: list }), { maxLength: 2 }),
})

/** Groups and roles of a realm, which may be in each other in a circle. */
const authority = target({
  name: 'import-authority',
  reads: ['flat-groups', 'flat-roles', 'role-refs'].map((name) => `cli/src/import/roles/${name}.ts`),
  inputs: fc.array(fc.oneof(roles, json(3)), { maxLength: 5 }),
  check(values) {
    const objects = values.map((value) => Object(value))
    const clientRoles = new Map([['shop', objects]])
    const flat = flatAuthority({ ...nothingOf('staff'), groups: objects, realmRoles: objects, clientRoles })
    const { given } = flat.expand([...flat.roles.values()].map(({ ref }) => ref))
    must(given.length >= flat.roles.size, 'a role that is lost')
  },
})

const files = texts(
  [
    '{"client_id":"a"}',
    '\n',
    '[',
    ']',
    ',',
    '{"items":[',
    '{"clients":[',
    ']}',
    '\ufeff',
    '"',
    '{',
    '}',
    '\r\n',
    'null',
  ],
  clients.map((client) => JSON.stringify([client])),
)

/** Files of clients: all entries, or a failure with a sentence. */
const clientFiles = target({
  name: 'import-file',
  reads: [
    'cli/src/import/client-file.ts#clientReading',
    'cli/src/import/format.ts#firstLine',
    'cli/src/import/records.ts',
  ],
  // Each line costs some microseconds, and 64 KiB may have as many lines.
  inputs: fc.record({ file: files.map((file) => file.slice(0, 8_192)), cut: fc.nat(100) }),
  async check({ file, cut }) {
    try {
      firstLine(file)
      const { records, prepare } = clientReading(undefined, file)
      for await (const record of records(pieces(Buffer.from(file), cut)))
        if ('value' in record) prepare(record.value)
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
    }
  },
})

/** The bytes of a file in two pieces, which may cut a character. */
async function* pieces(bytes: Buffer, cut: number) {
  yield bytes.subarray(0, cut)
  yield bytes.subarray(cut)
}

/** Targets of files with users and clients. */
export const importTargets = [entries, authority, clientFiles]
