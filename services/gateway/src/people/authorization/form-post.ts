import type { FastifyReply } from 'fastify'
import { languageOf } from '../pages/page-language.ts'
import { sendPage } from '../pages/pages.ts'
import { textsIn } from '../texts/table.ts'
import { destinationOf, formTarget } from './authorization.ts'

/** Sends the page's form. Without scripts the user presses its button. */
const script = 'document.forms[0].submit()'

/**
 * Answers with a page that posts an answer to the client (OAuth 2.0 Form Post Response Mode).
 * @param redirectUri http or https
 * @param fields the parameters of the answer
 */
export function sendFormPost(
  reply: FastifyReply,
  redirectUri: string,
  fields: Readonly<Record<string, string>>,
): FastifyReply {
  const language = languageOf(reply.request)
  const destination = destinationOf(redirectUri, textsIn(language))
  return sendPage(
    reply,
    'form-post',
    { action: redirectUri, fields, destination, script },
    {
      language,
      formTargets: [formTarget(redirectUri)],
      inlineScript: script,
      // With same-origin, browsers would send `Origin: null` to the client.
      referrerPolicy: 'strict-origin',
    },
  )
}
