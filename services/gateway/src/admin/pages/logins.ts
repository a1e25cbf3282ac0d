import type { AdminDeps } from '@gatehouse/admin-api/deps'
import { loginOutcomes } from '@gatehouse/admin-api/routes/logins'
import type { App } from '@gatehouse/http/app'
import { type LoginAttempt, LoginOutcome } from '@gatehouse/proto/identity/v1'
import { browserName } from '../../browser-name.ts'
import type { Places } from '../../places.ts'
import { providerTitle } from '../../social-providers.ts'
import type { LoginFacts } from './login-contents.ts'
import { pageSchema, pageSize, pagesOf, queryFrom, sendAdminPage } from './page.ts'

const section = '/admin/logins'

/** /admin/logins, the login attempts and their outcomes. */
export function loginsPage(
  app: App,
  { identity, places }: Pick<AdminDeps, 'identity'> & { places: Places },
): void {
  app.route({
    method: 'GET',
    url: section,
    config: { page: true },
    schema: pageSchema,
    async handler(request, reply) {
      const { user_id = '', client_id = '', ip_address = '', outcome = '', cursor = '' } = queryFrom(request)
      const filter = { user_id, client_id, ip_address: ip_address.trim(), outcome }
      const { logins, nextCursor } = await identity.listLogins({
        cursor,
        limit: pageSize,
        userId: user_id,
        clientId: client_id,
        ipAddress: filter.ip_address,
        outcome: loginOutcomes[outcome] ?? LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED,
        since: undefined,
        until: undefined,
      })
      const chosen = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
      return sendAdminPage(request, reply, 'admin/logins', {
        items: logins.map((login) => ({ ...loginFacts(login), place: places(login.ipAddress, 'en') })),
        ...pagesOf(section, chosen, cursor, nextCursor),
        of: client_id || logins.find(({ userId }) => userId === user_id)?.username || user_id,
        filter,
      })
    },
  })
}

/** Why a login failed, in words. */
const reasons: Readonly<Record<string, string>> = {
  unknown_user: 'No such user',
  wrong_password: 'Wrong password',
  user_disabled: 'User disabled',
  too_many_failures: 'Too many failed logins',
  denied: 'Cancelled at the provider',
  unreachable: 'Provider did not answer',
  bad_answer: 'Invalid answer from the provider',
  unknown_login: 'Expired or from another browser',
  wrong_second_factor: 'Wrong second factor',
  too_many_codes: 'Too many wrong codes',
  second_factor_missing: 'No second factor given',
  second_factor_required: 'Needs a second factor',
  login_expired: 'Expired, or the user was changed',
  unknown_passkey: 'Unknown passkey',
  invalid_passkey: 'Invalid passkey',
  passkey_counter: 'Passkey perhaps copied',
}

const methods: Readonly<Record<string, string>> = {
  password: 'Password',
  password_grant: 'Password grant',
  passkey: 'Passkey',
}

/** A login attempt as lists show it. */
export function loginFacts({
  method,
  failure,
  userAgent,
  ...login
}: LoginAttempt): Omit<LoginFacts, 'place'> {
  return {
    ...login,
    browser: userAgent === '' ? '' : browserName(userAgent),
    method: methods[method] ?? providerTitle(method),
    failure: failure === '' ? '' : (reasons[failure] ?? failure),
  }
}
