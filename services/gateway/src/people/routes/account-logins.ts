import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { type IdentityServiceService, LoginOutcome } from '@gatehouse/proto/identity/v1'
import { endpoint } from '../../endpoint/endpoint.ts'
import type { Places } from '../account/places.ts'
import { wayOfWriting } from '../account/way-of-writing.ts'
import { browserName } from '../pages/browser-name.ts'
import { languageOf } from '../pages/page-language.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import type { BrowserSessions } from '../session/browser-session.ts'
import { type Texts, textsIn } from '../texts/table.ts'
import { timesIn } from '../texts/time.ts'
import { withSession } from './account.ts'

/** The needs of the page of one's own logins. */
export type AccountLoginsDeps = {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser' | 'listLogins'>
  sessions: BrowserSessions
  places: Places
}

const url = '/account/logins'
const loginsOnPage = 20

/** The page with a user's own logins. Without a session it redirects to the login page. */
export const accountLoginsPage = endpoint({ name: 'own logins', door: 'people', routes: accountLoginsRoute })

function accountLoginsRoute(app: App, { identity, sessions, places }: AccountLoginsDeps): void {
  pageRoute(app, {
    url,
    handler: (request, reply) =>
      withSession(request, reply, sessions, async ({ user }) => {
        const { cursor } = parseForm(queryOf(request.url))
        const [{ user: record }, { logins, nextCursor }] = await Promise.all([
          identity.getUser({ userId: user.userId }),
          // The cursor is a position among all logins; the user of the session decides whose are shown.
          identity.listLogins({
            userId: user.userId,
            cursor,
            limit: loginsOnPage,
            outcome: LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED,
            since: undefined,
            until: undefined,
          }),
        ])
        const { locale, zoneinfo } = wayOfWriting(record?.attributes ?? {})
        const language = languageOf(request, [locale])
        const texts = textsIn(language)
        const content = {
          user,
          logins: logins.map(({ time, userAgent, ipAddress, failure }) => ({
            time: time ?? new Date(0),
            browser: browserName(userAgent, texts),
            ipAddress,
            place: places(ipAddress, language),
            outcome: outcomeOf(failure, texts),
            failed: failure !== undefined,
          })),
          older:
            nextCursor === undefined ? undefined : `${url}?${new URLSearchParams({ cursor: nextCursor })}`,
          newest: cursor === undefined ? undefined : url,
          time: timesIn(language, zoneinfo),
        }
        return sendPage(reply, 'account/logins', content, { language })
      }),
  })
}

type Outcome = keyof Texts['logins']['outcomes']

/** The outcome that the page shows for a failure, by its code in the login history. */
const failures: Readonly<Record<string, Outcome>> = {
  wrong_password: 'wrongPassword',
  user_disabled: 'disabled',
  too_many_failures: 'tooManyFailures',
  denied: 'providerRefused',
  unreachable: 'providerFailed',
  bad_answer: 'providerFailed',
  wrong_second_factor: 'wrongFactor',
  too_many_codes: 'tooManyCodes',
  second_factor_missing: 'factorMissing',
  second_factor_required: 'factorNotAsked',
  unknown_login: 'notFinished',
  login_expired: 'notFinished',
  unknown_passkey: 'passkeyRefused',
  invalid_passkey: 'passkeyRefused',
  passkey_counter: 'passkeyRefused',
}

function outcomeOf(failure: string | undefined, { logins: { outcomes } }: Texts): string {
  if (failure === undefined) return outcomes.succeeded
  return outcomes[(Object.hasOwn(failures, failure) ? failures[failure] : undefined) ?? 'failed']
}
