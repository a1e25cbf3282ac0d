import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { isSecret } from '@gatehouse/kit/formats'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import {
  type GetInvitationResponse,
  type Invitation,
  InvitationProblem,
} from '@gatehouse/proto/organization/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import { mustProve } from '../../account/proven-session.ts'
import { wayOfWriting } from '../../account/way-of-writing.ts'
import { type OrganizationServices, organizationsPage, roleNameOf } from '../../organizations/visit.ts'
import type { PeoplePages } from '../../pages/contents/page-contents.ts'
import { markRefused } from '../../pages/errors.ts'
import { linkOver } from '../../pages/link-over.ts'
import { languageOf } from '../../pages/page-language.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'
import { loginAddress, secondFactorAddress } from '../../pages/return-to.ts'
import { explanationOf, TranslatedRefusal } from '../../pages/translated-refusal.ts'
import type { BrowserSession, BrowserSessions } from '../../session/browser-session.ts'
import { type FollowedInvitation, joinPage } from '../../session/followed-invitation.ts'
import { type Texts, textsIn } from '../../texts/table.ts'

/** The needs of the page to which the link of an invitation leads. */
export type JoinDeps = {
  organizationService: Pick<OrganizationServices, 'getInvitation' | 'acceptInvitation'>
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser'>
  sessions: BrowserSessions
  followedInvitation: FollowedInvitation
}

/** The page to which the link of an invitation leads. Its GET uses nothing: programs that look for viruses open links too. */
export const joinPages = endpoint({
  name: 'joining an organization',
  door: 'people',
  part: organizationParts,
  routes: joinRoutes,
})

function joinRoutes(app: App, deps: JoinDeps): void {
  const { organizationService, followedInvitation, sessions } = deps
  pageRoute(app, {
    url: joinPage,
    exposeHeadRoute: false,
    async handler(request, reply) {
      const { token } = parseForm(queryOf(request.url))
      if (token !== undefined) {
        // From here on no address has the secret: not that of the page, nor where a login or a sign-up leads to.
        if (!isSecret(token)) return over(request, reply)
        followedInvitation.set(reply, { secret: token })
        return reply.header('cache-control', 'no-store').redirect(joinPage)
      }
      const secret = followedInvitation.read(request)?.secret
      const found =
        secret === undefined ? undefined : await organizationService.getInvitation({ linkSecret: secret })
      if (secret === undefined || found?.invitation === undefined) return over(request, reply)
      return showInvitation(request, reply, { ...found, secret }, deps)
    },
  })

  app.route({
    method: 'POST',
    url: joinPage,
    config: { page: true },
    schema: pageForm('invitation_id'),
    async handler(request, reply) {
      const linkSecret = followedInvitation.read(request)?.secret
      if (linkSecret === undefined) return over(request, reply)
      const session = await sessions.of(request)
      if (session === undefined) return reply.redirect(loginAddress(joinPage), 303)
      if (mustProve(session)) return reply.redirect(secondFactorAddress(joinPage, 'session'), 303)
      const found = await organizationService.getInvitation({ linkSecret })
      if (found.invitation === undefined) return over(request, reply)
      // Another link was followed in another window since: people join only what they have read.
      if (found.invitation.invitationId !== request.body.invitation_id) return reply.redirect(joinPage, 303)
      const { outcome } = await organizationService.acceptInvitation({
        ...{ linkSecret, sessionSecret: session.secret, ipAddress: request.ip },
        userAgent: request.headers['user-agent'] ?? '',
      })
      if (outcome?.$case === 'accepted') {
        followedInvitation.clear(reply)
        return reply.redirect(`${organizationsPage}?done=joined`, 303)
      }
      const explain = full[outcome?.value ?? InvitationProblem.INVITATION_PROBLEM_UNSPECIFIED]
      if (explain === undefined) return reply.redirect(joinPage, 303)
      const refusal = new TranslatedRefusal('access_denied', explain)
      markRefused(request, reply, refusal)
      return showInvitation(request, reply, { ...found, secret: linkSecret, refusal }, deps)
    },
  })
}

/** The problems that the page does not find by itself when it is shown again. */
const full: Partial<Record<InvitationProblem, (texts: Texts) => string>> = {
  [InvitationProblem.INVITATION_PROBLEM_TOO_MANY]: (t) => t.organizationJoining.join.tooMany,
  [InvitationProblem.INVITATION_PROBLEM_FULL]: (t) => t.organizationJoining.join.full,
}

function over(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { heading: text } = textsIn(languageOf(request)).organizations
  return linkOver(request, reply, { href: organizationsPage, text })
}

async function showInvitation(
  request: FastifyRequest,
  reply: FastifyReply,
  found: GetInvitationResponse & { secret: string; refusal?: TranslatedRefusal },
  { identity, sessions }: JoinDeps,
): Promise<FastifyReply> {
  const { invitation, organization, addressKnown, maySignUp, secret, refusal } = found
  if (invitation === undefined) return over(request, reply)
  const session = await sessions.of(request)
  const { user } = session ? await identity.getUser({ userId: session.user.userId }) : {}
  const attributes = user?.attributes ?? {}
  const language = languageOf(request, [wayOfWriting(attributes).locale])
  const texts = textsIn(language)
  const content = {
    user: session?.user,
    organization: organization?.name ?? '',
    inviter: invitation.invitedBy,
    role: texts.organizations.roles[roleNameOf(invitation.role)],
    address: invitation.email,
    invitationId: invitation.invitationId,
    visitor: visitorOf(session, attributes, invitation),
    problem: refusal && explanationOf(refusal, texts),
    logInHref: loginAddress(joinPage),
    // As the links of other mails, this one has the secret in its address.
    signUpHref: maySignUp && !addressKnown ? `/auth/signup/complete?token=${secret}` : undefined,
    known: addressKnown,
  }
  return sendPage(reply, 'organizations/join', content, { language })
}

function visitorOf(
  session: BrowserSession | undefined,
  { email, email_verified: verified }: Readonly<Record<string, unknown>>,
  { email: invited }: Invitation,
): PeoplePages['organizations/join']['visitor'] {
  if (session === undefined) return 'nobody'
  if (typeof email !== 'string' || email.toLowerCase() !== invited.toLowerCase()) return 'other'
  return verified === true ? 'invited' : 'unverified'
}
