import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import type { Form } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import type { Client } from '@gatehouse/proto/clientregistry/v1'
import { type GrantType, grants, grantTypes } from '@gatehouse/proto/grants'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { markRefused } from '../../errors.ts'
import { attempt, type Problem, problemOf } from '../../form-problem.ts'
import { clientOf, pathOf } from './client.ts'
import type { ClientForm } from './contents.ts'
import { metadataFrom, metadataInputs } from './metadata-inputs.ts'
import { afterwards, pageSchema, sendAdminPage } from './page.ts'
import { formOf, idOf, revisionIn } from './question.ts'

const config = { page: true } as const
const section = '/admin/clients'

/** The labels of the form's parameters. */
const labels = {
  client_name: 'Name',
  redirect_uris: 'Redirect URIs',
  grant_types: 'Grants',
  scope: 'Scope',
  first_party: 'First-party',
  token_endpoint_auth_method: 'Public',
  ...Object.fromEntries(clientFieldEntries.map(([name, { label }]) => [name, label])),
}

/** Declares the forms to create and to update a client. */
export function clientFormPages(app: App, deps: FormDeps): void {
  creationForm(app, deps)
  updateForm(app, deps)
}

type FormDeps = Pick<AdminDeps, 'clientRegistry'>

function creationForm(app: App, { clientRegistry }: FormDeps): void {
  app.route({
    method: 'GET',
    url: `${section}/new`,
    config,
    schema: pageSchema,
    handler: (request, reply) => showForm(request, reply, { client: undefined, form: emptyForm }),
  })

  app.route({
    method: 'POST',
    url: `${section}/new`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const form = formOf(request)
      const wanted = wantedBy(form)
      const create = async () => {
        // The registry has defaults for omitted fields, but an administrator who left these empty made a mistake.
        if (wanted.clientName.trim() === '') throw new Refusal('invalid_request', 'client_name is empty.')
        if (wanted.grantTypes.length === 0)
          throw new Refusal('invalid_request', 'grant_types must have at least one.')
        return clientRegistry.createClient({
          registration: {
            ...wanted,
            tokenEndpointAuthMethod: form.public ? 'none' : undefined,
            metadata: withoutNull(wanted.metadata),
          },
          firstParty: wanted.firstParty,
          actor: actorOf(request),
        })
      }
      const created = await attempt(create)
      if (created instanceof Refusal)
        return showForm(request, reply, { client: undefined, form: formFrom(form), refusal: created })
      const { clientId = '', clientName = '' } = created.client ?? {}
      if (created.clientSecret === '') return afterwards(reply, pathOf(clientId), 'client-added')
      return sendAdminPage(request, reply, 'admin/secret', {
        heading: 'Client created',
        section,
        facts: { Client: clientName, 'Client id': clientId },
        secretName: 'Client secret',
        secret: created.clientSecret,
        note: 'Copy it now: only its digest is kept, and it is not shown again.',
        back: pathOf(clientId),
      })
    },
  })
}

function updateForm(app: App, deps: FormDeps): void {
  app.route({
    method: 'GET',
    url: `${section}/:id/edit`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const client = await clientOf(idOf(request), deps)
      return showForm(request, reply, { client, form: formOfClient(client) })
    },
  })

  app.route({
    method: 'POST',
    url: `${section}/:id/edit`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const clientId = idOf(request)
      const form = formOf(request)
      const { redirectUris, grantTypes, ...wanted } = wantedBy(form)
      const update = () =>
        deps.clientRegistry.updateClient({
          ...wanted,
          clientId,
          revision: revisionIn(form),
          redirectUris: { items: redirectUris },
          grantTypes: { items: grantTypes },
          disabled: undefined,
          actor: actorOf(request),
        })
      const updated = await attempt(update)
      if (updated instanceof Refusal) {
        const client = await clientOf(clientId, deps)
        return showForm(request, reply, { client, form: formFrom(form), refusal: updated })
      }
      return afterwards(reply, pathOf(clientId), 'client-changed')
    },
  })
}

function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { client, form, refusal }: { client: Client | undefined; form: ClientForm; refusal?: Refusal },
): FastifyReply {
  if (refusal) markRefused(request, reply, refusal)
  const revision = String(client?.revision ?? '')
  const stale = refusal !== undefined && formOf(request).revision !== revision
  return sendAdminPage(request, reply, 'admin/client-form', {
    client: client && { clientId: client.clientId, revision },
    form,
    problem: refusal && (client && stale ? staleProblem : wrongWith(refusal)),
    meanwhile: client && stale ? differences(form, formOfClient(client)) : [],
  })
}

function wrongWith(refusal: Refusal): Problem {
  const problem = problemOf(refusal, labels)
  // The form offers only the default authentication method and none.
  const text = 'This server has no public clients: OAUTH2_PUBLIC_CLIENTS_ENABLED is off.'
  return problem.field === 'token_endpoint_auth_method' ? { ...problem, text } : problem
}

const staleProblem: Problem = {
  text:
    'Somebody changed this client since you opened the form, so nothing was saved. What you typed is still here: ' +
    'save it again to replace what is there now.',
  field: '',
}

/** The fields whose current value differs from what was typed. */
function differences(typed: ClientForm, now: ClientForm): { label: string; value: string }[] {
  const [was, is] = [wordsOf(typed), wordsOf(now)]
  return Object.entries(is)
    .filter(([label, value]) => was[label] !== value)
    .map(([label, value]) => ({ label, value }))
}

function wordsOf(form: ClientForm): Record<string, string> {
  const { name, redirectUris, grantTypes, scope, firstParty, metadata } = form
  return {
    [labels.client_name]: name,
    [labels.redirect_uris]: wordsIn(redirectUris).join(' '),
    [labels.grant_types]: grantTypes.flatMap(({ name, checked }) => (checked ? [name] : [])).join(', '),
    [labels.scope]: wordsIn(scope).join(' '),
    [labels.first_party]: firstParty ? 'yes' : 'no',
    ...Object.fromEntries(metadata.map(({ label, value }) => [label, wordsIn(value).join(' ')])),
  }
}

function wordsIn(text: string | undefined): string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '')
}

function wantedBy(form: Form) {
  return {
    clientName: form.client_name ?? '',
    redirectUris: wordsIn(form.redirect_uris),
    // Each grant has a parameter of its own, since a parameter may not be repeated.
    grantTypes: grantTypes.filter((name) => form[`grant_${name}`]),
    scope: wordsIn(form.scope).join(' '),
    firstParty: form.first_party !== undefined,
    metadata: metadataFrom(form),
  }
}

/** Drops empty fields: for a new client there is no value to remove. */
function withoutNull(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))
}

function checkboxes(checked: (name: GrantType) => boolean): ClientForm['grantTypes'] {
  return grantTypes.map((name) => ({ name, meaning: grants[name].meaning, checked: checked(name) }))
}

const emptyForm: ClientForm = {
  name: '',
  redirectUris: '',
  grantTypes: checkboxes((name) => name === 'authorization_code'),
  scope: 'read',
  firstParty: false,
  publicClient: false,
  metadata: metadataInputs({}),
}

function formFrom(form: Form): ClientForm {
  return {
    name: form.client_name ?? '',
    redirectUris: form.redirect_uris ?? '',
    grantTypes: checkboxes((name) => form[`grant_${name}`] !== undefined),
    scope: form.scope ?? '',
    firstParty: form.first_party !== undefined,
    publicClient: form.public !== undefined,
    metadata: metadataInputs(form),
  }
}

function formOfClient(client: Client): ClientForm {
  return {
    name: client.clientName,
    redirectUris: client.redirectUris.join('\n'),
    grantTypes: checkboxes((name) => client.grantTypes.includes(name)),
    scope: client.scope,
    firstParty: client.firstParty,
    publicClient: client.tokenEndpointAuthMethod === 'none',
    metadata: metadataInputs(client.metadata ?? {}),
  }
}
