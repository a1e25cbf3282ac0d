import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { type Invitation, MemberRole } from '@gatehouse/proto/organization/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import type { MailOptions } from '../../logins/mail-options.ts'
import { type ProblemWords, problemWith } from '../../organizations/problems.ts'
import { askFirst } from '../../organizations/question.ts'
import {
  doneIn,
  type MemberVisit,
  offeredRoles,
  organizationsPage,
  roleIn,
  roleNameOf,
  type VisitDeps,
  withMembership,
} from '../../organizations/visit.ts'
import type { Problem } from '../../pages/form-problem.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'
import { TranslatedRefusal } from '../../pages/translated-refusal.ts'

/** The needs of the pages of the invitations of an organization. */
export type InvitationsDeps = VisitDeps<
  'listInvitations' | 'createInvitation' | 'sendInvitationAgain' | 'withdrawInvitation'
> & { mailOptions: MailOptions }

const url = `${organizationsPage}/:organizationId/invitations`
const config = { page: true } as const
const invitationsOnPage = 50

const gone = new TranslatedRefusal('not_found', (t) => t.organizationJoining.gone)

const words: ProblemWords = [
  ['email is the address of a member', (t) => t.organizationJoining.problems.member, 'email'],
  ['email ', (t) => t.mail.wrongAddress, 'email'],
  ['Five invitations', (t) => t.organizationJoining.problems.tooManyMails, 'email'],
  ['The organization has sent', (t) => t.organizationJoining.problems.tooManyToday],
  ['The organization has', (t) => t.organizationJoining.problems.tooManyOpen],
  ['This server sends no mails', (t) => t.organizationJoining.problems.noMails],
  ['There is no such invitation', (t) => t.organizationJoining.gone],
]

/** The pages where owners and admins invite people to their organization, and see and withdraw invitations. */
export const invitationsPages = endpoint({
  name: 'invitations to an organization',
  door: 'people',
  part: organizationParts,
  routes: invitationsRoutes,
})

function invitationsRoutes(app: App, deps: InvitationsDeps): void {
  const { organizationService } = deps
  pageRoute(app, {
    url,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', (visit) => showInvitations(request, reply, visit, deps)),
  })

  app.route({
    method: 'POST',
    url,
    config,
    schema: pageForm('email', 'role'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { email = '', role } = request.body
        const { change, texts, language, path } = visit
        const problem = await problemWith(
          () =>
            organizationService.createInvitation({
              ...change,
              email,
              role: roleIn(role),
              roles: [],
              language,
            }),
          words,
          { request, reply, texts },
        )
        return problem
          ? showInvitations(request, reply, visit, deps, { problem, address: email, role })
          : reply.redirect(`${path}/invitations?done=invited`, 303)
      }),
  })

  app.route({
    method: 'POST',
    url: `${url}/again`,
    config,
    schema: pageForm('invitation_id'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { invitation_id: invitationId = '' } = request.body
        const { change, texts, path } = visit
        const problem = await problemWith(
          () => organizationService.sendInvitationAgain({ ...change, invitationId }),
          words,
          { request, reply, texts },
        )
        return problem
          ? showInvitations(request, reply, visit, deps, { problem: { ...problem, field: undefined } })
          : reply.redirect(`${path}/invitations?done=again`, 303)
      }),
  })

  withdrawalRoutes(app, deps)
}

function withdrawalRoutes(app: App, deps: InvitationsDeps): void {
  const { organizationService } = deps
  pageRoute(app, {
    url: `${url}/withdraw`,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { invitation_id: invitationId = '' } = parseForm(queryOf(request.url))
        const { organizationId } = visit.change
        const { invitations } = await organizationService.listInvitations({
          ...{ organizationId, invitationId, limit: 1 },
        })
        const invitation = invitations.find((one) => one.invitationId === invitationId)
        if (invitation === undefined) throw gone
        return showWithdrawal(reply, visit, invitation)
      }),
  })

  app.route({
    method: 'POST',
    url: `${url}/withdraw`,
    config,
    schema: pageForm('invitation_id'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { invitation_id: invitationId = '' } = request.body
        const { change, texts, path } = visit
        const problem = await problemWith(
          () => organizationService.withdrawInvitation({ ...change, invitationId }),
          words,
          { request, reply, texts },
        )
        return problem
          ? showInvitations(request, reply, visit, deps, { problem })
          : reply.redirect(`${path}/invitations?done=withdrawn`, 303)
      }),
  })
}

async function showInvitations(
  request: FastifyRequest,
  reply: FastifyReply,
  { session: { user }, membership, path, change: { organizationId }, texts, language, time }: MemberVisit,
  { organizationService, mailOptions }: InvitationsDeps,
  {
    problem,
    address = '',
    role = 'member',
  }: { problem?: Problem; address?: string; role?: string | undefined } = {},
): Promise<FastifyReply> {
  const { cursor, done } = parseForm(queryOf(request.url))
  const [{ invitations, nextCursor }, { mails: mailsOn }] = await Promise.all([
    organizationService.listInvitations({ organizationId, cursor, limit: invitationsOnPage }),
    mailOptions(),
  ])
  const page = `${path}/invitations`
  const owns = membership.role === MemberRole.MEMBER_ROLE_OWNER
  const content = {
    ...{ user, organization: membership.name, path, mailsOn, address, problem },
    message: doneIn(done, texts),
    roles: offeredRoles(membership, texts)
      .map((offered) => ({ ...offered, chosen: offered.name === role }))
      .toReversed(),
    invitations: invitations.map((invitation) => {
      const { invitationId, sentAt, expiresAt } = invitation
      const expires = expiresAt ?? new Date(0)
      return {
        invitationId,
        address: invitation.email,
        role: texts.organizations.roles[roleNameOf(invitation.role)],
        by: invitation.invitedBy,
        sent: sentAt ?? new Date(0),
        expires,
        expired: expires.getTime() <= Date.now(),
        changeable: owns || invitation.role !== MemberRole.MEMBER_ROLE_OWNER,
        withdrawal: `${page}/withdraw?${new URLSearchParams({ invitation_id: invitationId })}`,
      }
    }),
    next: nextCursor && `${page}?${new URLSearchParams({ cursor: nextCursor })}`,
    first: cursor === undefined ? undefined : page,
    time,
  }
  return sendPage(reply, 'organizations/invitations', content, { language })
}

function showWithdrawal(
  reply: FastifyReply,
  visit: MemberVisit,
  { invitationId, email }: Invitation,
): FastifyReply {
  const { path, texts } = visit
  return askFirst(reply, visit, texts.organizationJoining.withdrawal, {
    name: email,
    action: `${path}/invitations/withdraw`,
    fields: { invitation_id: invitationId },
    back: `${path}/invitations`,
  })
}
