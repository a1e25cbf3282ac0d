import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { Language } from '@gatehouse/proto/people/languages'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { callerOf } from '../../http/caller.ts'
import { pageForm } from '../../http/schemas.ts'
import { accountLanguage } from '../account/factor-places.ts'
import { withRecentLogin } from '../account/recent-login.ts'
import { markRefused } from '../pages/errors.ts'
import { languageOf } from '../pages/page-language.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import { explanationOf, TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { BrowserSession, BrowserSessions } from '../session/browser-session.ts'
import { type DeletedAccount, deletedAccountPage } from '../session/deleted-account.ts'
import { textsIn } from '../texts/table.ts'

/** The needs of the deletion of one's own account. */
export type AccountDeletionDeps = {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'deleteOwnAccount' | 'getUser'>
  sessions: BrowserSessions
  deletedAccount: DeletedAccount
  /** Whether people may delete their own accounts. */
  accountDeletion: boolean
}

const url = '/account/deletion'
const off = new TranslatedRefusal('not_found', (t) => t.ownAccount.deletion.off)

/** The page with which people delete their own accounts, and the one that says that it is done. */
export const accountDeletionPages = endpoint({
  name: 'account deletion',
  door: 'people',
  routes: accountDeletionRoutes,
})

function accountDeletionRoutes(app: App, deps: AccountDeletionDeps): void {
  pageRoute(app, {
    url,
    exposeHeadRoute: false,
    handler: (request, reply) =>
      deleting(request, reply, deps, async (session, language) => showForm(reply, session, { language })),
  })

  app.route({
    method: 'POST',
    url,
    config: { page: true },
    // `username` is the user's own name, typed once more.
    schema: pageForm('username'),
    handler: (request, reply) =>
      deleting(request, reply, deps, async (session, language) => {
        const typed = (request.body.username ?? '').trim()
        const problem = isName(typed, session)
          ? await deleteUser(request, session, language, deps)
          : new TranslatedRefusal('invalid_request', (t) => t.ownAccount.deletion.wrong)
        if (problem) {
          markRefused(request, reply, problem)
          return showForm(reply, session, { language, problem })
        }
        deps.sessions.end(reply)
        deps.deletedAccount.set(reply, { language })
        return reply.redirect(deletedAccountPage, 303)
      }),
  })

  pageRoute(app, {
    url: deletedAccountPage,
    exposeHeadRoute: false,
    async handler(request, reply) {
      if (!deps.accountDeletion) throw off
      const deleted = deps.deletedAccount.read(request)
      if (deleted === undefined || (await deps.sessions.of(request))) return reply.redirect('/account')
      return sendPage(reply, 'account/deleted', {}, { language: languageOf(request, [deleted.language]) })
    },
  })
}

/** Acts if people may delete their accounts, and this user has logged in just now. */
async function deleting(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: AccountDeletionDeps,
  act: (session: BrowserSession, language: Language) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  if (!deps.accountDeletion) throw off
  return withRecentLogin(request, reply, deps, async (session) =>
    act(session, await accountLanguage(session.user.userId, request, deps)),
  )
}

/** Whether somebody typed the name of a session's user. Names are the same whatever their case. */
function isName(typed: string, { user }: BrowserSession): boolean {
  return typed.toLowerCase() === user.username.toLowerCase()
}

/** @returns why the user cannot be deleted; undefined when they are */
async function deleteUser(
  request: FastifyRequest,
  { secret: sessionSecret }: BrowserSession,
  language: Language,
  { identity }: Pick<AccountDeletionDeps, 'identity'>,
): Promise<Refusal | undefined> {
  try {
    const deletion = await identity.deleteOwnAccount({ sessionSecret, ...callerOf(request), language })
    const { ownedOrganization: organization } = deletion
    if (organization === undefined) return undefined
    return new TranslatedRefusal('access_denied', (t) => t.ownAccount.deletion.ownsOrganization(organization))
  } catch (error) {
    if (error instanceof Refusal && error.code === 'access_denied')
      return new TranslatedRefusal('access_denied', (t) => t.ownAccount.deletion.lastOwner)
    throw error
  }
}

function showForm(
  reply: FastifyReply,
  { user }: BrowserSession,
  { language, problem }: { language: Language; problem?: Refusal },
): FastifyReply {
  const content = { user, problem: problem && explanationOf(problem, textsIn(language)) }
  return sendPage(reply, 'account/deletion', content, { language })
}
