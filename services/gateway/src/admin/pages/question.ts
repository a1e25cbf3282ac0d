import type { App } from '@gatehouse/http/app'
import type { Form } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import { markRefused } from '../../errors.ts'
import type { Question } from './contents.ts'
import { pageSchema, sendAdminPage } from './page.ts'

/** An action that an administrator confirms first. */
export type Questioned = {
  url: string
  ask(id: string, request: FastifyRequest): Promise<Question> | Question
  /** Performs the action and redirects the browser. */
  act(id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

const params: TObject = Type.Object({ id: Type.String({ description: 'The id of the client or user.' }) })

/** The id in the address. */
export function idOf({ params }: FastifyRequest): string {
  return (params as { id?: string }).id ?? ''
}

/** The parameters of a form that was posted. */
export function formOf({ body }: FastifyRequest): Form {
  return (body ?? {}) as Form
}

/**
 * The revision that a form showed, so that a change that somebody else made meanwhile is not overwritten unseen.
 * @returns 0n, which stands for any, when the form has none
 */
export function revisionIn({ revision = '' }: Form): bigint {
  return /^\d{1,18}$/.test(revision) ? BigInt(revision) : 0n
}

/** Waits for a deletion. It also succeeds when the form was sent twice and the target is already deleted. */
export async function unlessGone(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error) => {
    if (!(error instanceof Refusal && error.code === 'not_found')) throw error
  })
}

/** GET shows the question and what will break; POST performs the action. */
export function askFirst(app: App, { url, ask, act }: Questioned): void {
  const config = { page: true } as const
  const shared = url.includes(':id') ? { params } : {}
  const show = async (request: FastifyRequest, reply: FastifyReply, refusal?: Refusal) => {
    const question = await ask(idOf(request), request)
    if (refusal) markRefused(request, reply, refusal)
    const action = request.url.split('?', 1)[0] ?? ''
    return sendAdminPage(request, reply, 'admin/confirm', {
      ...question,
      action,
      problem: refusal?.description,
    })
  }
  app.route({
    method: 'GET',
    url,
    config,
    schema: { ...pageSchema, ...shared },
    handler: (request, reply) => show(request, reply),
  })
  app.route({
    method: 'POST',
    url,
    config,
    schema: { ...pageSchema, ...shared },
    async handler(request, reply) {
      try {
        return await act(idOf(request), request, reply)
      } catch (error) {
        // A mistake that the administrator can correct, or an action that is not allowed, is explained on the same page.
        if (error instanceof Refusal && (error.code === 'invalid_request' || error.code === 'access_denied'))
          return show(request, reply, error)
        throw error
      }
    },
  })
}
