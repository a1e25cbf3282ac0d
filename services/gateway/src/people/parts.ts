import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import type { ConnectionLoginServiceService } from '@gatehouse/proto/connection/v1'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { MailServiceService } from '@gatehouse/proto/mail/v1'
import { passkeyDomain } from '@gatehouse/proto/people/passkeys'
import type { ConsentQuestion } from './authorization/consent-question.ts'
import type { OrganizationQuestion } from './authorization/organization-question.ts'
import { createMailOptions } from './logins/mail-options.ts'
import { createLoginOffers } from './logins/offers.ts'
import { createSocialBrowsers } from './logins/social-browser.ts'
import { createProviderList } from './logins/social-providers.ts'
import { createQuestions } from './pages/questions.ts'
import type { LogoutQuestion } from './routes/logout.ts'
import { createBrowserSessions } from './session/browser-session.ts'
import { createPageCookies } from './session/page-cookies.ts'
import { createPendingLogins } from './session/pending-logins.ts'

/** The needs of the parts. */
export type PeoplePartsDeps = {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getSession' | 'listSocialProviders'>
  mails: Pick<RpcClient<typeof MailServiceService>, 'getMailOptions'>
  connectionService: Pick<RpcClient<typeof ConnectionLoginServiceService>, 'listOffers'>
  issuer: string
  /** Whether organizations are on. */
  organizations: boolean
  /** Signs the sessions' cookies. */
  sessionKey: Keyring
}

/** Creates the parts that pages for people share: sessions, cookies, questions. */
export function peopleParts({
  identity,
  mails,
  connectionService,
  issuer,
  organizations,
  sessionKey,
}: PeoplePartsDeps) {
  const secure = issuer.startsWith('https:')
  const pageCookies = createPageCookies({ key: sessionKey, secure, now: Date.now })
  return {
    ...pageCookies,
    sessions: createBrowserSessions(identity, { secure, bound: [pageCookies.newCodes], organizations }),
    pendingLogins: createPendingLogins(secure),
    browsers: createSocialBrowsers(secure),
    questions: createQuestions<ConsentQuestion>('consent', sessionKey, Date.now),
    organizationQuestions: createQuestions<OrganizationQuestion>('organization', sessionKey, Date.now),
    logoutQuestions: createQuestions<LogoutQuestion>('logout', sessionKey, Date.now),
    loginOffers: createLoginOffers(connectionService, organizations, Date.now),
    socialProviders: createProviderList(identity, Date.now),
    mailOptions: createMailOptions(mails, Date.now),
    passkeys: passkeyDomain(issuer) !== undefined,
  }
}
