import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import type { Form } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { ResourceServer } from '@gatehouse/proto/clientregistry/v1'
import { resourceServerFields as fields } from '@gatehouse/proto/resource-servers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { markRefused } from '../../errors.ts'
import { attempt, problemOf } from '../../form-problem.ts'
import type { ResourceForm } from './contents.ts'
import { afterwards, pageSchema, sendAdminPage } from './page.ts'
import { formOf, idOf, revisionIn } from './question.ts'
import { resourceOf, resourcePath, resourceSection as section } from './resource.ts'

const config = { page: true } as const

const labels = Object.fromEntries(Object.entries(fields).map(([name, { label }]) => [name, label]))

/** Declares the forms to create and to update a resource server. */
export function resourceFormPages(app: App, deps: Pick<AdminDeps, 'clientRegistry'>): void {
  const { clientRegistry } = deps

  app.route({
    method: 'GET',
    url: `${section}/new`,
    config,
    schema: pageSchema,
    handler: (request, reply) => showForm(request, reply, { resource: undefined, form: formFrom({}) }),
  })

  app.route({
    method: 'POST',
    url: `${section}/new`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const form = formOf(request)
      const create = async () =>
        clientRegistry.createResourceServer({
          ...wantedBy(form),
          identifier: (form.identifier ?? '').trim(),
          tokenLifetime: lifetimeIn(form),
          actor: actorOf(request),
        })
      const created = await attempt(create)
      if (created instanceof Refusal)
        return showForm(request, reply, { resource: undefined, form: formFrom(form), refusal: created })
      return afterwards(reply, resourcePath(created.resourceServer?.resourceId ?? ''), 'resource-added')
    },
  })

  app.route({
    method: 'GET',
    url: `${section}/:id/edit`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const resource = await resourceOf(idOf(request), deps)
      return showForm(request, reply, { resource, form: formOfResource(resource) })
    },
  })

  app.route({
    method: 'POST',
    url: `${section}/:id/edit`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const resourceId = idOf(request)
      const form = formOf(request)
      const update = async () => {
        const { scopes, ...wanted } = wantedBy(form)
        return clientRegistry.updateResourceServer({
          ...wanted,
          resourceId,
          revision: revisionIn(form),
          scopes: { items: scopes },
          tokenLifetime: lifetimeIn(form) ?? 0,
          disabled: undefined,
          actor: actorOf(request),
        })
      }
      const updated = await attempt(update)
      if (updated instanceof Refusal) {
        const resource = await resourceOf(resourceId, deps)
        return showForm(request, reply, { resource, form: formFrom(form), refusal: updated })
      }
      return afterwards(reply, resourcePath(resourceId), 'resource-changed')
    },
  })
}

function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    resource,
    form,
    refusal,
  }: { resource: ResourceServer | undefined; form: ResourceForm; refusal?: Refusal },
): FastifyReply {
  if (refusal) markRefused(request, reply, refusal)
  return sendAdminPage(request, reply, 'admin/resource-form', {
    resource: resource && {
      resourceId: resource.resourceId,
      identifier: resource.identifier,
      revision: String(resource.revision),
    },
    form,
    fields,
    problem: refusal && problemOf(refusal, labels),
  })
}

function wantedBy(form: Form) {
  return {
    name: form.name ?? '',
    scopes: scopesIn(form.scopes ?? ''),
    openRegistration: form.open_registration !== undefined,
    clientId: (form.client_id ?? '').trim(),
  }
}

/** Reads a line for each scope: the scope, and after a space what it allows. */
function scopesIn(text: string): { scope: string; description: string }[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [scope = ''] = line.split(/\s/, 1)
      return { scope, description: line.slice(scope.length).trim() }
    })
}

/** @throws Refusal invalid_request when it is not a whole number of seconds */
function lifetimeIn(form: Form): number | undefined {
  const text = (form.token_lifetime ?? '').trim()
  if (text === '') return undefined
  if (!/^\d{1,9}$/.test(text)) throw new Refusal('invalid_request', 'token_lifetime must be a whole number.')
  return Number(text)
}

function formFrom(form: Form): ResourceForm {
  return {
    identifier: form.identifier ?? '',
    name: form.name ?? '',
    scopes: form.scopes ?? '',
    tokenLifetime: form.token_lifetime ?? '',
    clientId: form.client_id ?? '',
    openRegistration: form.open_registration !== undefined,
  }
}

function formOfResource(resource: ResourceServer): ResourceForm {
  return {
    identifier: resource.identifier,
    name: resource.name,
    scopes: resource.scopes.map(({ scope, description }) => `${scope} ${description}`).join('\n'),
    tokenLifetime: String(resource.tokenLifetime ?? ''),
    clientId: resource.clientId,
    openRegistration: resource.openRegistration,
  }
}
