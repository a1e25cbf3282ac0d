import type { PendingAuthorization } from '@gatehouse/proto/token/v1'
import type { FastifyReply } from 'fastify'
import { shownName } from '../pages/client-name.ts'
import { languageOf } from '../pages/page-language.ts'
import { pageUserOf } from '../pages/page-user.ts'
import { sendPage } from '../pages/pages.ts'
import type { Questions } from '../pages/questions.ts'
import type { AnySession } from '../session/browser-session.ts'
import { formTarget } from './authorization.ts'

/** The question that a page asks a user: for which organization they use a client. */
export type OrganizationQuestion = {
  /** The authorization request that waits for the answer. */
  flowId: string
  sessionId: string
  clientId: string
}

/** These questions as the forms of pages carry them. */
export type OrganizationQuestions = Questions<OrganizationQuestion>

/** The answer of a user who chooses none. */
export const noOrganization = 'none'

/** Answers with the page on which the user chooses an organization. */
export function askOrganization(
  reply: FastifyReply,
  pending: PendingAuthorization,
  session: Pick<AnySession, 'sessionId' | 'user' | 'organizationsOnly'>,
  questions: OrganizationQuestions,
): FastifyReply {
  const { flowId, clientId, redirectUri, uiLocales, choices } = pending
  const { organizations = [], mayChooseNone = false } = choices ?? {}
  const content = {
    user: pageUserOf(session),
    clientName: shownName(pending),
    organizations,
    none: mayChooseNone ? noOrganization : undefined,
    question: questions.write({ flowId, sessionId: session.sessionId, clientId }),
  }
  return sendPage(reply, 'choose-organization', content, {
    language: languageOf(reply.request, uiLocales?.split(' ')),
    // The redirects after the form may lead to the client.
    formTargets: [formTarget(redirectUri)],
  })
}
