import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import { rotateKey, signedBy, stateOf } from '@gatehouse/admin-api/signing-keys'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import { signingAlgorithms } from '@gatehouse/proto/algorithms'
import type { SigningKey } from '@gatehouse/proto/token/v1'
import type { KeyTable } from './contents.ts'
import { afterwards, pageSchema, sendAdminPage } from './page.ts'
import { askFirst, formOf } from './question.ts'

const section = '/admin/keys'

/** /admin/keys, the keys that sign tokens. */
export function keyPages(app: App, deps: Pick<AdminDeps, 'tokens'>): void {
  app.route({
    method: 'GET',
    url: section,
    config: { page: true },
    schema: pageSchema,
    async handler(request, reply) {
      const { keys } = await deps.tokens.listSigningKeys({})
      return sendAdminPage(request, reply, 'admin/keys', { tables: tablesOf(keys) })
    },
  })
  askToRotate(app, deps)
  askToReplace(app, deps)
}

function askToRotate(app: App, deps: Pick<AdminDeps, 'tokens'>): void {
  askFirst(app, {
    url: `${section}/:id/rotate`,
    ask: (id) => {
      const algorithm = algorithmOf(id)
      return {
        heading: `Rotate the ${algorithm} key?`,
        consequences: [
          ...(algorithm === 'HS256' ? effectOfDerivedKey : effectOfKeyPair),
          'Existing tokens stay valid until they expire: the previous key verifies them until then.',
        ],
        field: {
          name: 'when',
          label: 'May somebody else know the current key?',
          hint: 'If so, the next page says what withdrawing it breaks.',
          options: [
            { value: 'planned', label: 'No, this is a planned rotation', selected: true },
            { value: 'immediately', label: 'Yes, withdraw it immediately', selected: false },
          ],
        },
        button: 'Rotate the key',
        back: section,
        section,
      }
    },
    async act(id, request, reply) {
      const algorithm = algorithmOf(id)
      if (formOf(request).when === 'immediately') return reply.redirect(`${section}/${id}/replace`, 303)
      const [added] = await rotateKey(deps, { algorithm }, actorOf(request))
      const staged = added && stateOf(added) === 'staged'
      return afterwards(reply, section, staged ? 'key-staged' : 'key-rotated')
    },
  })
}

const effectOfDerivedKey = [
  'New tokens are signed with a new key from now on, within two seconds on every replica.',
  'A resource server that checks signatures itself with OAUTH2_JWT_SECRET must derive the new key from it: see ' +
    'docs/keys.md. One that uses introspection notices nothing.',
]
const effectOfKeyPair = [
  'A new key is published now. In about five minutes, when every verifier has fetched it, new tokens are signed with it. ' +
    'Nobody has to do anything for that.',
]

function askToReplace(app: App, deps: Pick<AdminDeps, 'tokens'>): void {
  askFirst(app, {
    url: `${section}/:id/replace`,
    ask: (id) => {
      const algorithm = algorithmOf(id)
      return {
        heading: `Withdraw all ${algorithm} keys now?`,
        consequences: [
          `Every token that was signed with ${algorithm} until now becomes invalid at once, whoever holds it. Apps get new ones with ` +
            'their refresh tokens or their secrets; without, people log in again.',
          algorithm === 'HS256'
            ? 'A resource server that checks signatures itself with OAUTH2_JWT_SECRET accepts earlier tokens until they expire, unless it knows which keys are withdrawn.'
            : 'A resource server that checks signatures itself refuses new tokens until it fetches the key set again, and accepts earlier ones until then: mostly up to five minutes.',
          'This cannot be undone.',
        ],
        button: 'Withdraw the keys',
        back: section,
        section,
      }
    },
    async act(id, request, reply) {
      await rotateKey(deps, { algorithm: algorithmOf(id), immediately: true }, actorOf(request))
      return afterwards(reply, section, 'keys-withdrawn')
    },
  })
}

function algorithmOf(id: string): string {
  if (!(signingAlgorithms as readonly string[]).includes(id))
    throw new Refusal('not_found', 'There is no such algorithm.')
  return id
}

const tokenNames = { access_token: 'access tokens', id_token: 'ID tokens' }

/** A table for each algorithm; first those that sign. */
function tablesOf(keys: readonly SigningKey[]): KeyTable[] {
  const algorithms = [...new Set(keys.map(({ algorithm }) => algorithm))]
  const tables = algorithms.map((algorithm) => {
    const items = keys.filter((key) => key.algorithm === algorithm)
    const signs = items[0] ? signedBy(items[0]).map((kind) => tokenNames[kind]) : []
    return { algorithm, signs, items: items.map((key) => ({ ...key, state: stateOf(key) })) }
  })
  return tables.toSorted((a, b) => b.signs.length - a.signs.length)
}
