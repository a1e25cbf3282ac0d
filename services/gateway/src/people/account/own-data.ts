import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import {
  type IdentityServiceService,
  type LoginAttempt,
  LoginOutcome,
  type Session,
} from '@gatehouse/proto/identity/v1'
import { type Mail, type MailServiceService, MailState } from '@gatehouse/proto/mail/v1'
import type { Language } from '@gatehouse/proto/people/languages'
import type { FastifyBaseLogger } from 'fastify'
import { type AccountAppsDeps, accountApps } from '../pages/account-apps.ts'
import { textsIn } from '../texts/table.ts'
import { type OwnMembershipDeps, ownMemberships } from './own-memberships.ts'
import type { Places } from './places.ts'

/** The needs of a file with a user's data. */
export type OwnDataDeps = AccountAppsDeps &
  OwnMembershipDeps & {
    identity: Pick<
      RpcClient<typeof IdentityServiceService>,
      'getUser' | 'listSessions' | 'listFactors' | 'listConsents' | 'listLogins'
    >
    mails: Pick<RpcClient<typeof MailServiceService>, 'listMails'>
    /** Whether organizations are on. */
    organizations: boolean
    issuer: string
    places: Places
  }

/** The data that is stored about a user, except for the lists that may be long. */
export type OwnData = Readonly<Record<string, unknown>>

/** How many mails or logins are read at once. */
const pageSize = 200

/**
 * Reads what is stored about a user and meant for them: no secrets, and no digests of any. Mails and logins are not in it, see
 * `ownDataFile`.
 * @param language of the words for what apps may do, and of places
 * @throws Refusal temporarily_unavailable when a part of it cannot be read: the file is complete, or there is none
 */
export async function ownData(
  userId: string,
  language: Language,
  deps: OwnDataDeps,
  log: FastifyBaseLogger,
): Promise<OwnData> {
  const { identity, issuer, places } = deps
  const [{ user }, { sessions }, factors, { apps, complete }, memberships] = await Promise.all([
    identity.getUser({ userId }),
    identity.listSessions({ userId }),
    identity.listFactors({ userId }),
    accountApps(userId, deps, log),
    deps.organizations ? ownMemberships(userId, deps) : undefined,
  ])
  if (user === undefined || !complete) throw new Refusal('temporarily_unavailable')
  const { username, admin, createdAt, hasPassword, attributes = {}, socialAccounts } = user
  return {
    server: issuer,
    time: new Date(),
    user: {
      user_id: userId,
      username,
      administrator: admin,
      created_at: createdAt,
      has_password: hasPassword,
    },
    attributes,
    ...memberships,
    apps: apps(textsIn(language)).map(({ clientId, name, organization, scope, scopes, since }) => ({
      client_id: clientId,
      name,
      organization_id: organization?.organizationId,
      organization: organization?.name,
      scope,
      access: scopes,
      since,
    })),
    sessions: sessions.map((session) => sessionData(session, (address) => places(address, language))),
    passkeys: factors.passkeys.map(({ name, createdAt, lastUsedAt, backedUp }) => ({
      name,
      created_at: createdAt,
      last_used_at: lastUsedAt ?? null,
      on_several_devices: backedUp,
    })),
    authenticator_app: factors.app
      ? { created_at: factors.app.createdAt, last_used_at: factors.app.lastUsedAt ?? null }
      : null,
    recovery_codes_left: factors.recoveryCodesLeft,
    social_accounts: socialAccounts.map(({ provider, displayName, linkedAt }) => ({
      provider,
      name: displayName,
      linked_at: linkedAt,
    })),
  }
}

/**
 * Writes a user's data as JSON, with their mails and logins, which are read page by page while the file is sent.
 * @param data the result of ownData
 */
export async function* ownDataFile(
  userId: string,
  language: Language,
  data: OwnData,
  { identity, mails, places }: Pick<OwnDataDeps, 'identity' | 'mails' | 'places'>,
): AsyncGenerator<string> {
  yield '{\n'
  for (const [name, value] of Object.entries(data)) yield `  ${JSON.stringify(name)}: ${json(value, '  ')},\n`
  yield* list('mails', async (cursor) => {
    const filter = { userId, state: MailState.MAIL_STATE_UNSPECIFIED }
    const page = await mails.listMails({ ...filter, cursor, limit: pageSize })
    return { items: page.mails.map(mailData), nextCursor: page.nextCursor }
  })
  yield ',\n'
  yield* list('logins', async (cursor) => {
    const page = await identity.listLogins({
      userId,
      cursor,
      limit: pageSize,
      outcome: LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED,
      since: undefined,
      until: undefined,
    })
    const items = page.logins.map((login) => loginData(login, (address) => places(address, language)))
    return { items, nextCursor: page.nextCursor }
  })
  yield '\n}\n'
}

type Page = { items: readonly unknown[]; nextCursor: string | undefined }

/** A list as a member of the file. @param read reads a page from a cursor on */
async function* list(name: string, read: (cursor?: string) => Promise<Page>): AsyncGenerator<string> {
  yield `  ${JSON.stringify(name)}: [`
  let separator = '\n    '
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await read(cursor)
    for (const item of items) {
      yield separator + json(item, '    ')
      separator = ',\n    '
    }
    cursor = nextCursor
  } while (cursor !== undefined)
  yield separator === '\n    ' ? ']' : '\n  ]'
}

/** @param indent of the lines after the first one */
function json(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)
}

type PlaceOf = (ipAddress: string) => string | undefined

function sessionData(session: Session, placeOf: PlaceOf) {
  const { createdAt, authenticatedAt, lastSeenAt, expiresAt, methods, ipAddress, userAgent } = session
  return {
    created_at: createdAt,
    authenticated_at: authenticatedAt,
    last_seen_at: lastSeenAt,
    expires_at: expiresAt,
    methods,
    ip_address: ipAddress,
    place: placeOf(ipAddress) ?? null,
    browser: userAgent,
  }
}

function loginData(
  { time, method, failure, clientId, ipAddress, userAgent }: LoginAttempt,
  placeOf: PlaceOf,
) {
  return {
    time,
    method,
    succeeded: failure === undefined,
    failure: failure ?? null,
    client_id: clientId ?? null,
    ip_address: ipAddress,
    place: placeOf(ipAddress) ?? null,
    browser: userAgent,
  }
}

const mailStates: Readonly<Record<number, string>> = {
  [MailState.MAIL_STATE_WAITING]: 'waiting',
  [MailState.MAIL_STATE_SENT]: 'sent',
  [MailState.MAIL_STATE_FAILED]: 'failed',
}

function mailData({ kind, recipient, state, createdAt, endedAt }: Mail) {
  return { kind, recipient, state: mailStates[state], created_at: createdAt, ended_at: endedAt ?? null }
}
