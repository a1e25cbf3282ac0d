import {
  administered,
  auditLog,
  bySession,
  byToken,
  rootActor,
} from '@gatehouse/gateway/testing/administrator'
import { refusing } from '@gatehouse/gateway/testing/browser'
import { errorOf } from '@gatehouse/gateway/testing/gateway'
import { writeCursor } from '@gatehouse/kit/page'
import { ActorKind } from '@gatehouse/proto/audit/v1'
import { describe, expect, test } from 'vitest'

const created = new Date('2030-01-01T00:00:00Z')

describe('GET /admin/api/audit', () => {
  const entry = (id: number) => ({
    entryId: `0190f0a0-${String(id).padStart(4, '0')}-7000-8000-000000000001`,
    time: created,
    actor: rootActor,
    action: 'client.update',
    target: 'client_a',
    before: '{"disabled":false}',
  })
  /** A service's log, newest entry first, as the service returns it. */
  const logOf = (ids: number[]) =>
    auditLog({
      listAuditEntries: async ({
        beforeEntryId,
        limit,
      }: {
        beforeEntryId?: string | undefined
        limit: number
      }) => ({
        entries: ids
          .map(entry)
          .filter(({ entryId }) => beforeEntryId === undefined || entryId < beforeEntryId)
          .slice(0, limit),
      }),
    })

  test('merges the logs of all services', async () => {
    const { send } = await administered({ auditLogs: [logOf([6, 3]), logOf([5]), logOf([4, 2, 1])] })
    const found: string[][] = []
    let cursor = ''
    for (let page = 0; page < 4; page += 1) {
      const { text } = await send('GET', `/admin/api/audit?limit=2${cursor}`, undefined, bySession)
      const { items, next_cursor: next } = JSON.parse(text)
      found.push(items.map((item: { entry_id: string }) => item.entry_id.slice(12, 13)))
      if (next === undefined) break
      cursor = `&cursor=${next}`
    }
    expect(found).toEqual([
      ['6', '5'],
      ['4', '3'],
      ['2', '1'],
    ])
  })

  test('continues after a page of the largest size, even if one log fills it', async () => {
    const ids = Array.from({ length: 205 }, (_, index) => 205 - index)
    const { send } = await administered({ auditLogs: [logOf([]), logOf(ids)] })
    const first = JSON.parse((await send('GET', '/admin/api/audit?limit=200', undefined, bySession)).text)
    expect(first.items).toHaveLength(200)
    const path = `/admin/api/audit?limit=200&cursor=${first.next_cursor}`
    const second = JSON.parse((await send('GET', path, undefined, bySession)).text)
    expect(second.items).toHaveLength(5)
    expect(second.next_cursor).toBeUndefined()
  })

  test('shows each entry with its actor', async () => {
    const client = {
      kind: ActorKind.ACTOR_KIND_CLIENT,
      id: 'client_a',
      name: 'client_a',
      ipAddress: '192.0.2.7',
      userAgent: 'curl/8.5.0',
    }
    const log = {
      listAuditEntries: async () => ({ entries: [{ ...entry(1), actor: client, after: '{"a":[{"b":1}]}' }] }),
    }
    const { send } = await administered({ auditLogs: [auditLog(log)] })
    const { text } = await send('GET', '/admin/api/audit', undefined, byToken)
    expect(JSON.parse(text)).toEqual({
      items: [
        {
          entry_id: '0190f0a0-0001-7000-8000-000000000001',
          time: '2030-01-01T00:00:00.000Z',
          actor: {
            ...{ kind: 'client', id: 'client_a', name: 'client_a' },
            ...{ ip_address: '192.0.2.7', user_agent: 'curl/8.5.0' },
          },
          action: 'client.update',
          target: 'client_a',
          before: { disabled: false },
          after: { a: [{ b: 1 }] },
        },
      ],
    })
  })

  test('filters by actor, target, action and time', async () => {
    const asked: unknown[] = []
    const log = {
      listAuditEntries: async (request: unknown) => {
        asked.push(request)
        return { entries: [] }
      },
    }
    const { send } = await administered({ auditLogs: [auditLog(log), auditLog(log)] })
    await send(
      'GET',
      '/admin/api/audit?actor_id=0190f0a0-0000-7000-8000-0000000000b1&target=client_a',
      undefined,
      bySession,
    )
    const all = { limit: 51, concernedIds: [] }
    const question = { ...all, actorId: '0190f0a0-0000-7000-8000-0000000000b1', target: 'client_a' }
    expect(asked.splice(0)).toEqual([question, question])
    const times = 'since=2026-11-22T00:00:00Z&until=2026-11-23T00:00:00%2B01:00'
    await send('GET', `/admin/api/audit?action=user.create&${times}`, undefined, bySession)
    expect(asked.splice(0)[0]).toEqual({
      ...{ ...all, action: 'user.create' },
      fromEntryId: '01a2008d-7400-7000-8000-000000000000',
      beforeEntryId: '01a2057c-e180-7000-8000-000000000000',
    })
    const position = '019aaaaa-0000-7000-8000-000000000001'
    const cursorAt = (...positions: string[]) => writeCursor([String(0x019a_aaaa_0000), ...positions])
    const next = await send('GET', `/admin/api/audit?cursor=${cursorAt(position, '')}`, undefined, bySession)
    expect(next.status).toBe(200)
    expect(asked).toMatchObject([
      { beforeEntryId: position },
      { beforeEntryId: '019aaaaa-0001-7000-8000-000000000000' },
    ])
    const forged = await send('GET', `/admin/api/audit?cursor=${cursorAt('x', '')}`, undefined, bySession)
    expect([forged.status, errorOf(forged)]).toEqual([400, 'invalid_request'])
  })

  test('fails rather than show a log with a gap', async () => {
    const away = auditLog({ listAuditEntries: refusing('temporarily_unavailable') })
    const { send } = await administered({ auditLogs: [logOf([1]), away] })
    const answer = await send('GET', '/admin/api/audit', undefined, bySession)
    expect([answer.status, errorOf(answer)]).toEqual([503, 'temporarily_unavailable'])
  })
})
