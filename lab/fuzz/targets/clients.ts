import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import { authenticationMethods } from '@gatehouse/proto/client-authentication'
import { columnsIn } from '@gatehouse/proto/client-columns'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import fc from 'fast-check'
import {
  checkChosenId,
  secretFault,
} from '../../../services/client-registry/src/changes/chosen-credentials.ts'
import { prepareImportedClient } from '../../../services/client-registry/src/changes/client-import-preparation.ts'
import { checkField } from '../../../services/client-registry/src/clients/client-field.ts'
import {
  decideMetadata,
  type MetadataWriter,
  metadataWriters,
} from '../../../services/client-registry/src/clients/metadata-rules.ts'
import { redirectUriFault } from '../../../services/client-registry/src/clients/redirect-uri.ts'
import { readClientIdDocument } from '../../../services/client-registry/src/documents/client-id-document.ts'
import { documentLifetime } from '../../../services/client-registry/src/documents/document-lifetime.ts'
import { json, long, objects, texts } from '../inputs.ts'
import { must, target, unlessRefused } from '../target.ts'

const clientId = 'https://app.example/client.json'
const url = fc.constantFrom(
  'https://app.example/cb',
  'http://localhost/cb',
  'https://a:b@c',
  'javascript:1',
  '',
)
const urls = fc.array(url, { maxLength: 25 })

const rules = {
  ...{ openid: true, methods: authenticationMethods, scopes: 'any' as const },
  redirectUriRules: { bareSchemes: false },
}
const columns = {
  ...{ clientName: 'Acme', redirectUris: ['https://app.example/cb'], grantTypes: ['authorization_code'] },
  ...{ scope: 'read', tokenEndpointAuthMethod: 'none', firstParty: false },
}

/** A value as one of the fields of a client might have it. */
const fieldValue = fc.oneof(
  url,
  urls,
  fc.boolean(),
  fc.integer(),
  fc.constantFrom('RS256', 'ES256', 'native', 'web', 'none'),
)
const metadata = objects(Object.fromEntries(clientFieldEntries.map(([name]) => [name, fieldValue])))

const documents = objects({
  ...{
    client_id: fc.constant(clientId),
    redirect_uris: urls,
    client_name: fc.constantFrom('Acme', ' ', '\u202e'),
  },
  ...{
    token_endpoint_auth_method: fc.constantFrom('none', 'private_key_jwt'),
    client_uri: url,
    jwks_uri: url,
  },
  client_secret: fc.constant('secret'),
})

/** Metadata documents of clients: what is taken names its own address, has no secret, and only URIs that may be registered. */
const idDocuments = target({
  name: 'client-id-document',
  reads: ['client-registry/src/documents/client-id-document.ts#readClientIdDocument'],
  inputs: texts(
    ['{', '}', '"client_id"', ':', JSON.stringify(clientId), ',', '"redirect_uris"', '[', ']', '\ufeff'],
    documents.map((value) => JSON.stringify(value)),
  ),
  check(text) {
    for (const body of [Buffer.from(text), Buffer.from(text, 'latin1')]) {
      const read = unlessRefused(() => readClientIdDocument(clientId, body, authenticationMethods))
      if (read === undefined) continue
      const { document: sent, method } = read
      must(
        sent.client_id === clientId && !('client_secret' in sent),
        'a document of another client, or with a secret',
      )
      const { grantTypes, scope } = columns
      const client = unlessRefused(() =>
        decideMetadata(
          {
            writer: 'document',
            sent: columnsIn(sent),
            defaults: { client_name: 'app.example' },
            given: { grantTypes, scope, tokenEndpointAuthMethod: method },
          },
          rules,
        ),
      )
      if (client === undefined) continue
      must(
        client.redirectUris.length > 0 && client.redirectUris.length <= 20,
        'too few or many redirect URIs',
      )
      for (const uri of client.redirectUris)
        must(redirectUriFault(uri, { bareSchemes: false }) === undefined, 'a redirect URI with a fault')
      must(visibleTextFault(client.clientName) === undefined, 'a name that cannot be read')
    }
  },
})

/** The fields of a client: what is taken once is taken again, unchanged. */
const fields = target({
  name: 'client-metadata',
  reads: [
    'client-registry/src/clients/metadata-rules.ts#decideMetadata',
    'client-registry/src/clients/client-field.ts#checkField',
  ],
  inputs: fc.record({
    sent: metadata,
    writer: fc.constantFrom(...(Object.keys(metadataWriters) as MetadataWriter[])),
    openid: fc.boolean(),
  }),
  check({ sent, writer, openid }) {
    const decide = (by: MetadataWriter, values: unknown) =>
      decideMetadata(
        { writer: by, sent: { ...columns, metadata: Object(values) }, defaults: {} },
        { ...rules, openid },
      ).metadata
    const taken = unlessRefused(() => decide(writer, sent))
    if (taken === undefined) return
    const known = clientFieldEntries.map(([name]) => name as string)
    must(
      Object.keys(taken).every((name) => known.includes(name)),
      'an unknown field',
    )
    const again = decide('administrator', JSON.parse(JSON.stringify(taken)))
    must(JSON.stringify(again) === JSON.stringify(taken), 'fields that are not taken a second time')
  },
})

/** Names, scopes, ids and secrets that somebody chose. */
const words = target({
  name: 'client-words',
  reads: [
    'client-registry/src/clients/client-field.ts#checkField',
    'client-registry/src/changes/chosen-credentials.ts#checkChosenId',
    'client-registry/src/changes/chosen-credentials.ts#secretFault',
    'kit/src/people/visible-text.ts#visibleTextFault',
  ],
  inputs: texts(['Acme', ' ', 'read', 'write', '\u200d', '👩', '\u0600', 'क', '\u202e'], fc.constant('Acme')),
  check(text) {
    for (const field of ['client_name', 'scope'] as const) {
      const value = unlessRefused(() => checkField(field, text, rules))
      if (value !== undefined)
        must(unlessRefused(() => checkField(field, value, rules)) === value, `a ${field} that is none again`)
    }
    const id = unlessRefused(() => checkChosenId(text))
    if (id !== undefined)
      must(!isDocumentClientId(id) && encodeURI(id) === id, 'an id that has to be encoded')
    if (secretFault(text) === undefined)
      must(text.length >= 20 && text.length <= 512, 'a secret of another length')
  },
})

/** How long a document may be used: between a minute and a day, whatever its server says. */
const lifetimes = target({
  name: 'cache-control',
  reads: ['client-registry/src/documents/document-lifetime.ts#documentLifetime'],
  inputs: fc.record({
    'cache-control': texts(
      ['max-age', '=', '3600', '"', ',', 'no-store', ' ', '-1', '1e9'],
      fc.constant('max-age=3600'),
    ),
    age: fc.oneof(fc.constantFrom('', '0', '-5', '99999999999', 'x'), long(['9', ' '])),
  }),
  check(headers) {
    const seconds = documentLifetime(headers)
    must(Number.isInteger(seconds) && seconds >= 60 && seconds <= 86_400, 'another lifetime')
  },
})

const registration = fc.record({
  clientName: fc.constantFrom('Acme', undefined),
  redirectUris: urls,
  grantTypes: fc.array(fc.constantFrom('authorization_code', 'implicit', '', '__proto__'), { maxLength: 4 }),
  scope: fc.oneof(fc.constantFrom(undefined, 'read', 'read  admin', '\u00a0read'), fc.string()),
  tokenEndpointAuthMethod: fc.constantFrom('none', 'client_secret_basic', undefined),
  metadata: fc.oneof(metadata, fc.constant(undefined)),
})

/** Clients of other systems: what is left is what this server has, and never the scope of administrators. */
const imported = target({
  name: 'client-import',
  reads: ['client-registry/src/changes/client-import-preparation.ts#prepareImportedClient'],
  inputs: fc.record({
    clientId: fc.oneof(fc.constantFrom('', 'new', clientId), fc.string()),
    clientSecret: fc.oneof(
      fc.constantFrom('', 'x'.repeat(20)),
      fc.string({ unit: 'binary', maxLength: 600 }),
    ),
    ...{ registration, createdAt: fc.option(fc.integer(), { nil: undefined }) },
  }),
  check({ createdAt, ...client }) {
    const prepared = unlessRefused(() =>
      prepareImportedClient(
        {
          ...(client as unknown as Parameters<typeof prepareImportedClient>[0]),
          ...{ firstParty: false, disabled: false },
          createdAt: createdAt === undefined ? undefined : new Date(createdAt),
        },
        { scopes: new Set(['read', 'write', 'admin']) },
        {
          redirectUriRules: { bareSchemes: true },
          methods: authenticationMethods,
          grantTypes: ['client_credentials'],
          now: () => 1_800_000_000_000,
        },
      ),
    )
    if (prepared === undefined) return
    must(!(prepared.sent.scope ?? '').split(' ').includes('admin'), 'the scope of administrators')
    must(!prepared.sent.grantTypes?.includes('implicit'), 'a grant that this server does not have')
    must(prepared.notes.join('').length < 40_000, 'a long note')
  },
})

/** Any JSON where an object is expected. */
const anything = target({
  name: 'client-metadata-of-any-kind',
  reads: ['client-registry/src/clients/metadata-rules.ts#decideMetadata'],
  inputs: json(4),
  check(sent) {
    const wanted = { ...columns, metadata: Object(sent) }
    unlessRefused(() => decideMetadata({ writer: 'administrator', sent: wanted, defaults: {} }, rules))
  },
})

/** Targets of what clients say of themselves. */
export const clientTargets = [idDocuments, fields, words, lifetimes, imported, anything]
