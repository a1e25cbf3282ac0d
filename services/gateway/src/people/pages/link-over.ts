import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { markRefused } from './errors.ts'
import { sendPage } from './pages.ts'

/**
 * Says that the link of a mail is unknown, has expired or was used.
 * @param next where the user can get another one
 */
export function linkOver(
  request: FastifyRequest,
  reply: FastifyReply,
  next: { href: string; text: string } | undefined,
): FastifyReply {
  const refusal = new Refusal('invalid_request', 'The link has expired or was used already.')
  markRefused(request, reply, refusal)
  return sendPage(reply, 'link-over', { next })
}
