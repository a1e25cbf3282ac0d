import type { App } from '@gatehouse/http/app'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import {
  type AuthorizationStepDeps,
  authorizationOver,
  continueAuthorization,
  sessionOver,
} from '../../authorization/authorization-step.ts'
import { noOrganization } from '../../authorization/organization-question.ts'
import { continuationPath } from '../../pages/return-to.ts'
import { TranslatedRefusal } from '../../pages/translated-refusal.ts'
import type { BrowserSessions } from '../../session/browser-session.ts'

/** POST /oauth/organization, which takes the answer to the page on which users choose an organization. */
export const organizationChoice = endpoint({
  name: 'choice of an organization',
  door: 'people',
  part: organizationParts,
  routes: choiceRoute,
})

function choiceRoute(app: App, deps: AuthorizationStepDeps & { sessions: BrowserSessions }): void {
  const { organizationQuestions, sessions } = deps
  app.route({
    method: 'POST',
    url: '/oauth/organization',
    config: { page: true },
    // The organization is an id, or `none`.
    schema: pageForm('question', 'organization'),
    async handler(request, reply) {
      const { question: text = '', organization } = request.body
      if (!organization) throw new TranslatedRefusal('invalid_request', (t) => t.organizationChoice.noChoice)
      const question = organizationQuestions.read(text)
      if (question === undefined) throw authorizationOver()
      const { flowId, clientId } = question
      request.clientId = clientId
      const session = await sessions.any(request, clientId)
      if (session === undefined) {
        request.continuation = continuationPath(flowId)
        throw sessionOver()
      }
      if (session.sessionId !== question.sessionId) throw authorizationOver()
      const organizationId = organization === noOrganization ? null : organization
      return continueAuthorization(request, reply, { flowId, session, organizationId, status: 303 }, deps)
    },
  })
}
