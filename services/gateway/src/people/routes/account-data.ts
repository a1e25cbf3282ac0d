import { Readable } from 'node:stream'
import type { App } from '@gatehouse/http/app'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { endpoint } from '../../endpoint/endpoint.ts'
import { callerOf } from '../../http/caller.ts'
import { pageForm } from '../../http/schemas.ts'
import { accountLanguage } from '../account/factor-places.ts'
import { type OwnDataDeps, ownData, ownDataFile } from '../account/own-data.ts'
import { withRecentLogin } from '../account/recent-login.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import type { BrowserSessions } from '../session/browser-session.ts'
import { textsIn } from '../texts/table.ts'

/** The needs of the download of one's own data. */
export type AccountDataDeps = OwnDataDeps & {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'recordDataDownload'>
  sessions: BrowserSessions
}

const url = '/account/data'

/** The page with which people download what is stored about them, and the file. */
export const accountDataPage = endpoint({ name: 'own data', door: 'people', routes: accountDataRoutes })

function accountDataRoutes(app: App, deps: AccountDataDeps): void {
  pageRoute(app, {
    url,
    exposeHeadRoute: false,
    handler: (request, reply) =>
      withRecentLogin(request, reply, deps, async ({ user }) => {
        const language = await accountLanguage(user.userId, request, deps)
        const { title: heading, lead, hint, submit: button } = textsIn(language).ownAccount.data
        const question = { user, heading, lines: [lead, hint], action: url, button, problem: undefined }
        return sendPage(reply, 'account/question', question, { language })
      }),
  })

  app.route({
    method: 'POST',
    url,
    // Ten of them a minute come from one address: the file is large.
    config: { page: true, limit: 'costly' },
    schema: pageForm(),
    handler: (request, reply) =>
      withRecentLogin(request, reply, deps, async ({ user: { userId }, secret }) => {
        await deps.identity.recordDataDownload({ sessionSecret: secret, ...callerOf(request) })
        const language = await accountLanguage(userId, request, deps)
        const data = await ownData(userId, language, deps, request.log)
        return reply
          .headers({
            'cache-control': 'no-store',
            'content-disposition': 'attachment; filename="account.json"',
            'x-content-type-options': 'nosniff',
          })
          .type('application/json; charset=utf-8')
          .send(Readable.from(ownDataFile(userId, language, data, deps)))
      }),
  })
}
