import type { App } from '@gatehouse/http/app'
import type { Form } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import { markRefused } from '../../errors.ts'
import type { Question } from './contents.ts'
import { pageSchema, sendAdminPage } from './page.ts'

/** Something that an administrator is asked about before it is done. */
export type Questioned = {
  url: string
  ask(id: string, request: FastifyRequest): Promise<Question> | Question
  /** Does it, and sends the browser on. */
  act(id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

const params: TObject = Type.Object({ id: Type.String({ description: 'Of what it is done to.' }) })

/** The id in the address. */
export function idOf({ params }: FastifyRequest): string {
  return (params as { id?: string }).id ?? ''
}

/** The parameters of a form that was posted. */
export function formOf({ body }: FastifyRequest): Form {
  return (body ?? {}) as Form
}

/** Waits until something is deleted. What is gone already, since the form was sent twice, is as good. */
export async function unlessGone(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error) => {
    if (!(error instanceof Refusal && error.code === 'not_found')) throw error
  })
}

/** GET asks and says what will break; POST does it. */
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
        // What a person can put right, or may not do, is said on the same page.
        if (error instanceof Refusal && (error.code === 'invalid_request' || error.code === 'access_denied'))
          return show(request, reply, error)
        throw error
      }
    },
  })
}
