import {
  administered,
  auditLog,
  bySession,
  byToken,
  rootActor,
} from '@gatehouse/gateway/testing/administrator'
import { refusing } from '@gatehouse/gateway/testing/browser'
import { errorOf } from '@gatehouse/gateway/testing/gateway'
import { type LoginAttempt, LoginOutcome } from '@gatehouse/proto/identity/v1'
import type { ClientAuthenticationFailure } from '@gatehouse/proto/token/v1'
import { describe, expect, test } from 'vitest'

const path = '/admin/api/activity'
const moment = (second: number) => new Date(Date.parse('2030-01-01T00:00:00Z') + second * 1000)

const login = (second: number): LoginAttempt => ({
  ...{
    loginId: '0190f0a0-0000-7000-8000-000000000001',
    time: moment(second),
    userId: '0190f0a0-0000-7000-8000-0000000000b1',
  },
  ...{ username: 'ann', ipAddress: '192.0.2.7', userAgent: '', method: 'password' },
  failure: 'wrong_password',
})
const failure = (second: number): ClientAuthenticationFailure => ({
  ...{ time: moment(second), clientId: 'client_a', reason: 'wrong_secret', endpoint: 'token' },
  ...{ count: 3n },
})
/** An entry, whose id has its time (RFC 9562 section 5.7). */
const entry = (second: number) => {
  const milliseconds = moment(second).getTime().toString(16).padStart(12, '0')
  return {
    entryId: `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7000-8000-000000000001`,
    time: moment(second),
    actor: rootActor,
    action: 'user.update',
    target: '0190f0a0-0000-7000-8000-0000000000b1',
    before: '{"disabled":false}',
    after: '{"disabled":true}',
  }
}

/** A gateway over services of which each has one page. @param asked gets what each service was asked for */
async function withActivity(
  found: { logins?: LoginAttempt[]; failures?: ClientAuthenticationFailure[]; entries?: object[] },
  { cursors = (items: object[]) => items.map((_, index) => `after-${index}`) } = {},
) {
  const { logins = [], failures = [], entries = [] } = found
  const entriesAsked: object[] = []
  const log = {
    listAuditEntries: async (request: object) => {
      entriesAsked.push(request)
      return { entries: entries as ReturnType<typeof entry>[] }
    },
  }
  const gateway = await administered({
    identity: { listLogins: async () => ({ logins, nextCursor: undefined, cursors: cursors(logins) }) },
    tokens: {
      listClientAuthenticationFailures: async () => ({
        failures,
        nextCursor: undefined,
        cursors: cursors(failures),
      }),
    },
    auditLogs: [auditLog(log)],
  })
  const asked = () => ({
    logins: gateway.asked('listLogins'),
    failures: gateway.asked('listClientAuthenticationFailures'),
    entries: entriesAsked,
  })
  return { ...gateway, asked }
}

describe('GET /admin/api/activity', () => {
  test('has logins, failed client authentications and actions in one list, the newest first', async () => {
    const { send } = await withActivity({
      logins: [login(50), login(10)],
      failures: [failure(20)],
      entries: [entry(40)],
    })
    const { status, text } = await send('GET', path, undefined, bySession)
    const time = (second: number) => moment(second).toISOString()
    const shownLogin = {
      ...{ kind: 'login', login_id: login(0).loginId, outcome: 'failed', failure: 'wrong_password' },
      ...{
        user: { id: '0190f0a0-0000-7000-8000-0000000000b1', username: 'ann' },
        ip_address: '192.0.2.7',
        user_agent: '',
      },
      method: 'password',
    }
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        items: [
          { ...shownLogin, time: time(50) },
          {
            ...{ kind: 'action', entry_id: entry(40).entryId, time: time(40), action: 'user.update' },
            actor: {
              ...{ kind: 'user', id: rootActor.id, name: 'root' },
              ...{ ip_address: '127.0.0.1', user_agent: 'lightMyRequest' },
            },
            ...{
              target: '0190f0a0-0000-7000-8000-0000000000b1',
              before: { disabled: false },
              after: { disabled: true },
            },
          },
          {
            ...{ kind: 'client_authentication_failure', time: time(20), client_id: 'client_a' },
            ...{ reason: 'wrong_secret', endpoint: 'token', count: 3 },
          },
          { ...shownLogin, time: time(10) },
        ],
      },
    ])
  })

  test('goes on where each of the services was left', async () => {
    const { send, asked } = await withActivity({ logins: [login(50), login(10)], failures: [failure(20)] })
    const first = JSON.parse((await send('GET', `${path}?limit=2`, undefined, byToken)).text)
    await send('GET', `${path}?limit=1&cursor=${first.next_cursor}`, undefined, byToken)
    const until = new Date(moment(20).getTime() + 1)
    expect(asked().logins[1]).toMatchObject({ cursor: 'after-0', limit: 1, until })
    expect(asked().failures[1]).toMatchObject({ cursor: 'after-0', limit: 1, until })
  })

  test('asks each service for what matches the filters', async () => {
    const { send, asked } = await withActivity({})
    const since = new Date(Date.now() - 3_600_000)
    const filters = `client_id=client_a&ip_address=192.0.2.7&since=${since.toISOString()}`
    await send(
      'GET',
      `${path}?${filters}&user_id=0190f0a0-0000-7000-8000-0000000000b1&outcome=failed`,
      undefined,
      bySession,
    )
    const page = { cursor: undefined, limit: 50, until: undefined }
    const common = { ...page, clientId: 'client_a', ipAddress: '192.0.2.7', since }
    const outcome = LoginOutcome.LOGIN_OUTCOME_FAILED
    expect(asked()).toEqual({
      logins: [{ ...common, userId: '0190f0a0-0000-7000-8000-0000000000b1', outcome }],
      failures: [],
      entries: [],
    })
    await send('GET', `${path}?${filters}&outcome=failed`, undefined, bySession)
    expect(asked()).toMatchObject({ failures: [common], entries: [] })
    await send(
      'GET',
      `${path}?${filters}&user_id=0190f0a0-0000-7000-8000-0000000000b1&kind=action`,
      undefined,
      bySession,
    )
    expect(asked().entries).toMatchObject([
      {
        concernedIds: ['0190f0a0-0000-7000-8000-0000000000b1', 'client_a'],
        ipAddress: '192.0.2.7',
      },
    ])
    expect(asked()).toMatchObject({ logins: { length: 2 }, failures: { length: 1 } })
  })

  test('goes no further back than logins and failures are kept', async () => {
    const { send, asked } = await withActivity({})
    await send('GET', `${path}?since=2020-01-01T00:00:00Z`, undefined, bySession)
    await send('GET', path, undefined, bySession)
    for (const { since } of asked().logins as { since: Date }[])
      expect(Date.now() - since.getTime() - 30 * 86_400_000).toBeLessThan(60_000)
    expect(asked().entries).toEqual([
      expect.objectContaining({ fromEntryId: expect.stringMatching(/-7000-8000-0{12}$/) }),
      expect.objectContaining({ fromEntryId: expect.stringMatching(/-7000-8000-0{12}$/) }),
    ])
  })

  test('fails rather than show a list with a gap', async () => {
    const { send } = await administered({
      auditLogs: [auditLog({ listAuditEntries: refusing('temporarily_unavailable') })],
    })
    const answer = await send('GET', path, undefined, bySession)
    expect([answer.status, errorOf(answer)]).toEqual([503, 'temporarily_unavailable'])
  })

  test.each(['cursor=abc', 'kind=mail', 'outcome=maybe', 'since=yesterday', 'failed=true'])(
    'refuses %s',
    async (query) => {
      const { send } = await administered()
      const answer = await send('GET', `${path}?${query}`, undefined, bySession)
      expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    },
  )
})
