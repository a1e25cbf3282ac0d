import type { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { ConnectionLoginServiceService, ConnectionServiceService } from '@gatehouse/proto/connection/v1'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { FastifyReply } from 'fastify'
import type { MailOptions } from '../logins/mail-options.ts'
import { providerTitle } from '../logins/social-providers.ts'
import { type AccountAppsDeps, accountApps } from '../pages/account-apps.ts'
import { attributeFacts } from '../pages/attribute-inputs.ts'
import { browserName } from '../pages/browser-name.ts'
import { languageOf } from '../pages/page-language.ts'
import { sendPage } from '../pages/pages.ts'
import { explanationOf } from '../pages/translated-refusal.ts'
import type { BrowserSession } from '../session/browser-session.ts'
import { textsIn } from '../texts/table.ts'
import { timesIn } from '../texts/time.ts'
import { accountFactors, factorMessage } from './account-factors.ts'
import type { Places } from './places.ts'
import { wayOfWriting } from './way-of-writing.ts'

/** The needs of showing the account page. */
export type AccountPageDeps = AccountAppsDeps & {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'listSessions' | 'getUser' | 'listFactors'>
  mailOptions: MailOptions
  places: Places
  /** Whether people may delete their own accounts. */
  accountDeletion: boolean
  /** Whether organizations are on. */
  organizations: boolean
  connectionService: Pick<
    RpcClient<typeof ConnectionServiceService> & RpcClient<typeof ConnectionLoginServiceService>,
    'listLinks' | 'listOffers'
  >
}

/**
 * Answers with the account page, in the language and the time zone of the account.
 * @param outcome the change that was made, by its name in the texts; or the reason why it was not made
 */
export async function showAccount(
  reply: FastifyReply,
  { user, sessionId: current }: BrowserSession,
  outcome: { done?: string; problem?: Refusal; keepAccess?: boolean },
  deps: AccountPageDeps,
): Promise<FastifyReply> {
  const { userId } = user
  const [{ sessions }, { user: record }, { apps, complete }, { mails: mailsOn }, factors, connections] =
    await Promise.all([
      deps.identity.listSessions({ userId }),
      deps.identity.getUser({ userId }),
      accountApps(userId, deps, reply.log),
      deps.mailOptions(),
      accountFactors(userId, deps.identity),
      deps.organizations && hasConnections(userId, deps),
    ])
  const { locale, zoneinfo } = wayOfWriting(record?.attributes ?? {})
  const language = languageOf(reply.request, [locale])
  const texts = textsIn(language)
  const socialAccounts = (record?.socialAccounts ?? []).map(({ provider, displayName }) => ({
    provider: providerTitle(provider),
    displayName,
  }))
  const { done: confirmed, sent } = texts.address.own
  const done: Readonly<Record<string, string>> = {
    ...texts.account.done,
    address: sent,
    'address-confirmed': confirmed,
  }
  const content = {
    user,
    message: Object.hasOwn(done, outcome.done ?? '')
      ? done[outcome.done ?? '']
      : factorMessage(outcome.done ?? '', texts),
    problem: outcome.problem && (explanationOf(outcome.problem, texts) ?? outcome.problem.description),
    keepAccess: outcome.keepAccess ?? false,
    hasPassword: record?.hasPassword ?? true,
    mailsOn,
    accountDeletion: deps.accountDeletion,
    ...{ organizations: deps.organizations, connections },
    factors,
    socialAccounts,
    providerNames: new Intl.ListFormat(language, { type: 'disjunction' }).format(
      socialAccounts.map(({ provider }) => provider),
    ),
    attributes: attributeFacts(record?.attributes ?? {}, language),
    time: timesIn(language, zoneinfo),
    apps: apps(texts),
    appsComplete: complete,
    sessions: sessions
      .map(({ sessionId, userAgent, ipAddress, createdAt, lastSeenAt }) => ({
        sessionId,
        browser: browserName(userAgent, texts),
        ipAddress,
        place: deps.places(ipAddress, language),
        createdAt: createdAt ?? new Date(0),
        lastSeenAt,
        current: sessionId === current,
      }))
      // The sort is stable, so the others stay newest first.
      .sort((one, other) => Number(other.current) - Number(one.current)),
  }
  return sendPage(reply, 'account', content, { language, scripts: true })
}

/** Whether a user has accounts elsewhere that are connected, or could connect one. */
async function hasConnections(
  userId: string,
  { connectionService }: Pick<AccountPageDeps, 'connectionService'>,
): Promise<boolean> {
  try {
    const [{ links }, { offers }] = await Promise.all([
      connectionService.listLinks({ userId, limit: 1 }),
      connectionService.listOffers({ userId }),
    ])
    return links.length + offers.length > 0
  } catch {
    // Only a link to another page is missing. Release 0.7.0 of the identity service knows no connections.
    return false
  }
}
