import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorContent } from '../pages/contents/error-content.ts'
import { markRefused, prefersHtml } from '../pages/errors.ts'
import { languageOf } from '../pages/page-language.ts'
import { sendPage } from '../pages/pages.ts'
import { loginAddress, returnPath } from '../pages/return-to.ts'
import { type Texts, textsIn } from '../texts/table.ts'
import type { SocialProblem } from './social-problems.ts'

/** The link of such a page: where people can go on. */
export type WayOn = { href: string; text(texts: Texts): string }

/** The way back to the login page. @param returnTo the path to which the login leads */
export function toLogin(returnTo: string | undefined): WayOn {
  return { href: loginAddress(returnPath(returnTo)), text: ({ social }) => social.toLogin }
}

/** Answers with the page that explains why a login through a provider failed. */
export function showProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { refusal, explain }: SocialProblem,
  on: WayOn,
): FastifyReply {
  if (!prefersHtml(request)) throw refusal
  markRefused(request, reply, refusal)
  const language = languageOf(request)
  const texts = textsIn(language)
  const { heading, description: explanation, advice } = explain(texts)
  const link = { href: on.href, text: on.text(texts) }
  const content = { ...errorContent(request, refusal, texts), heading, explanation, advice, link }
  return sendPage(reply, 'error', content, { language })
}
