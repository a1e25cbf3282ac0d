import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import { clientOf, pathOf, unchanged } from './client.ts'
import { afterwards, sendAdminPage } from './page.ts'
import { askFirst, formOf, unlessGone } from './question.ts'

const section = '/admin/clients'
const day = 86_400

/** How long the current secret may stay valid after a rotation, in seconds. */
const overlaps = [
  { value: String(3_600), label: 'an hour', selected: false },
  { value: String(day), label: 'a day', selected: true },
  { value: String(7 * day), label: 'a week', selected: false },
  { value: String(30 * day), label: '30 days', selected: false },
  { value: '0', label: 'no time, because it has leaked', selected: false },
]

/** Declares the actions on a client, each of which is confirmed first. */
export function clientQuestions(app: App, deps: QuestionDeps): void {
  disableQuestion(app, deps)
  deleteQuestion(app, deps)
  endTokensQuestion(app, deps)
  secretQuestion(app, deps)
}

type QuestionDeps = Pick<AdminDeps, 'clientRegistry' | 'tokens'>

function disableQuestion(app: App, deps: QuestionDeps): void {
  askFirst(app, {
    url: `${section}/:id/disable`,
    ask: async (id) => ({
      heading: `Disable ${(await clientOf(id, deps)).clientName}?`,
      consequences: [
        'The client gets no more tokens, and users cannot log in to it.',
        'Its tokens and codes are revoked at once. Enabling it again does not restore them.',
      ],
      button: 'Disable client',
      back: pathOf(id),
      section,
    }),
    async act(clientId, request, reply) {
      await deps.clientRegistry.updateClient({
        ...unchanged,
        clientId,
        disabled: true,
        actor: actorOf(request),
      })
      return afterwards(reply, pathOf(clientId), 'client-disabled')
    },
  })
}

function deleteQuestion(app: App, deps: QuestionDeps): void {
  askFirst(app, {
    url: `${section}/:id/delete`,
    ask: async (id) => ({
      heading: `Delete ${(await clientOf(id, deps)).clientName}?`,
      consequences: [
        'The client, its secrets and its settings are deleted. This cannot be undone.',
        'Its tokens and codes are revoked at once, and everything that uses it stops working. To try that out, disable it first.',
        ...(isDocumentClientId(id)
          ? ['It comes back as soon as somebody uses it again. To keep it away, disable it instead.']
          : []),
      ],
      button: 'Delete client',
      back: pathOf(id),
      section,
    }),
    async act(clientId, request, reply) {
      await unlessGone(deps.clientRegistry.deleteClient({ clientId, actor: actorOf(request) }))
      return afterwards(reply, section, 'client-deleted')
    },
  })
}

function endTokensQuestion(app: App, deps: QuestionDeps): void {
  askFirst(app, {
    url: `${section}/:id/end-tokens`,
    ask: async (id) => ({
      heading: `Revoke all tokens of ${(await clientOf(id, deps)).clientName}?`,
      consequences: [
        'Its access tokens, refresh tokens and codes are revoked at once.',
        'The client can get new tokens: for itself at once with its secret, for a user at their next login to it.',
      ],
      button: 'Revoke tokens',
      back: pathOf(id),
      section,
    }),
    async act(clientId, request, reply) {
      await clientOf(clientId, deps)
      await deps.tokens.endTokensOf({ of: { $case: 'clientId', value: clientId }, actor: actorOf(request) })
      return afterwards(reply, pathOf(clientId), 'tokens-ended')
    },
  })
}

function secretQuestion(app: App, deps: QuestionDeps): void {
  askFirst(app, {
    url: `${section}/:id/secret`,
    ask: async (id) => ({
      heading: `Create a new secret for ${(await clientOf(id, deps)).clientName}?`,
      consequences: [
        'The new secret is shown once, on the next page.',
        'The current secret stays valid for as long as you choose. Tokens stay valid.',
        'Older secrets stop working at once.',
      ],
      button: 'Create new secret',
      back: pathOf(id),
      section,
      field: {
        name: 'overlap',
        label: 'The current secret stays valid for',
        hint: 'Choose enough time to use the new secret everywhere.',
        options: overlaps,
      },
    }),
    async act(clientId, request, reply) {
      const { overlap } = formOf(request)
      // No default: without an overlap, everything that uses the current secret is refused at once.
      if (!overlaps.some(({ value }) => value === overlap))
        throw new Refusal('invalid_request', 'Choose how long the current secret stays valid.')
      const { client, clientSecret } = await deps.clientRegistry.rotateClientSecret({
        clientId,
        overlapSeconds: Number(overlap),
        actor: actorOf(request),
      })
      return sendAdminPage(request, reply, 'admin/secret', {
        heading: 'The new secret',
        section,
        facts: { Client: client?.clientName ?? '', 'Client id': clientId },
        secretName: 'Client secret',
        secret: clientSecret,
        note: 'Copy it now: only its digest is kept, and it is not shown again.',
        back: pathOf(clientId),
      })
    },
  })
}
