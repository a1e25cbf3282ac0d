import { administered, auditLog, bySession, rootActor } from '@gatehouse/gateway/testing/administrator'
import { refusing } from '@gatehouse/gateway/testing/browser'
import { errorOf } from '@gatehouse/gateway/testing/gateway'
import { writeCursor } from '@gatehouse/kit/page'
import type { FollowAuditEntriesRequest } from '@gatehouse/proto/audit/v1'
import { describe, expect, test } from 'vitest'

/** A service's log: the ids of its entries in the order of their positions, which begin with 1. */
const logOf = (ids: number[]) =>
  auditLog({
    async followAuditEntries({ afterPosition = 0n, limit }: FollowAuditEntriesRequest) {
      const behind = ids
        .map((id, index) => ({
          position: BigInt(index + 1),
          entry: {
            entryId: `0190f0a0-${String(id).padStart(4, '0')}-7000-8000-000000000001`,
            time: new Date(0),
            actor: rootActor,
            action: 'client.update',
            target: String(id),
          },
        }))
        .filter(({ position }) => position > afterPosition)
      const entries = behind.slice(0, limit)
      return { entries, position: entries.at(-1)?.position ?? afterPosition, more: behind.length > limit }
    },
  })

type Part = { items: { cursor: string; entry: { target: string } }[]; cursor: string; more: boolean }
type Logs = ReturnType<typeof auditLog>[]

describe('GET /admin/api/audit/feed', () => {
  const asking = async (auditLogs: Logs) => {
    const { send } = await administered({ auditLogs })
    return async (query: string): Promise<Part> =>
      JSON.parse((await send('GET', `/admin/api/audit/feed${query}`, undefined, bySession)).text)
  }
  const targetsOf = ({ items }: Part) => items.map(({ entry }) => Number(entry.target))

  test('merges the logs in their own orders, without gaps or repetitions at the borders of pages', async () => {
    // The 2 was committed after the 8.
    const logs = [logOf([1, 4, 8, 2, 9]), logOf([3, 5]), logOf([]), logOf([6, 7])]
    const ask = await asking(logs)
    for (const limit of [1, 2, 3, 50]) {
      const found: number[] = []
      let cursor = ''
      for (let more = true; more; ) {
        const part = await ask(`?limit=${limit}${cursor && `&cursor=${cursor}`}`)
        found.push(...targetsOf(part))
        cursor = part.cursor
        more = part.more
      }
      expect(found).toEqual([1, 3, 4, 5, 6, 7, 8, 2, 9])
      expect((await ask(`?cursor=${cursor}`)).items).toEqual([])
    }
  })

  test('goes on behind each entry, also when the events service has joined meanwhile', async () => {
    const logs = [logOf([1, 4]), logOf([3]), logOf([2])]
    const whole = await (await asking(logs))('')
    const ask = await asking([...logs, logOf([5])])
    for (const [at, { cursor }] of whole.items.entries())
      expect(targetsOf(await ask(`?cursor=${cursor}`))).toEqual([1, 2, 3, 4, 5].slice(at + 1))
  })

  test('a log without entries keeps the place at which it was', async () => {
    const empty = await (await asking([logOf([]), logOf([1])]))('')
    const ask = await asking([logOf([2]), logOf([1, 3])])
    expect(targetsOf(await ask(`?cursor=${empty.cursor}`))).toEqual([2, 3])
  })

  test('fails rather than leave a log out, and takes no cursor that is not its own', async () => {
    const away = auditLog({ followAuditEntries: refusing('temporarily_unavailable') })
    const { send } = await administered({ auditLogs: [logOf([1]), away] })
    const answer = await send('GET', '/admin/api/audit/feed', undefined, bySession)
    expect([answer.status, errorOf(answer)]).toEqual([503, 'temporarily_unavailable'])
    for (const cursor of ['x', writeCursor(['1', '', '']), writeCursor(['-1', '', '', ''])]) {
      const forged = await send('GET', `/admin/api/audit/feed?cursor=${cursor}`, undefined, bySession)
      expect([forged.status, errorOf(forged)]).toEqual([400, 'invalid_request'])
    }
  })
})
