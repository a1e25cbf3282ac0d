import { Registry } from '@gatehouse/kit/metrics'
import { createRpcClient } from '@gatehouse/kit/rpc-client'
import { implement, startRpcServer } from '@gatehouse/kit/rpc-server'
import { RevocationKind, type RevokeManyRequest, TokenServiceService } from '@gatehouse/proto/token/v1'
import { beforeEach, expect, test } from 'vitest'
import { recordedLog } from '../../kit/test/recorded-log.ts'
import { createDelivery } from '../src/pending-revocations.ts'
import { addPendingRevocation, createPendingRevocationStore } from '../src/store/pending-revocations.ts'
import { revokeOver } from '../src/token-client.ts'
import { useReplicas } from './replica.ts'

const shared = useReplicas()
beforeEach(() => shared.query('delete from identity.pending_revocations'))

const add = (target: string) => addPendingRevocation(shared.replica().database.prisma, 'user', target)
const pending = async () =>
  (await shared.query('select target from identity.pending_revocations order by id')).map(
    ({ target }) => target,
  )

test('what could not be delivered stays pending, fails nothing, and is delivered when the token service is back', async () => {
  const replica = shared.another()
  replica.tokenAway = true
  const id = await add('a')
  await replica.disabling.deliver(id)
  await expect(replica.deliverAll()).rejects.toThrow('away')
  expect(await pending()).toEqual(['a'])
  replica.tokenAway = false
  await replica.deliverAll()
  expect(replica.revoked).toMatchObject([{ kind: 'user', target: 'a', issuedBefore: expect.any(Date) }])
  expect(await pending()).toEqual([])
  await replica.deliverAll()
  expect(replica.revoked).toHaveLength(1)
})

test('one that the token service does not take keeps no other back', async () => {
  const told: string[] = []
  const { deliverAll } = createDelivery({
    store: createPendingRevocationStore(shared.replica().database),
    revoke: async ({ target }) => {
      if (target === 'b') throw new Error('not this one')
      told.push(target)
    },
    log: recordedLog().log,
  })
  for (const target of ['a', 'b', 'c']) await add(target)
  await expect(deliverAll()).rejects.toThrow('not this one')
  expect(told).toEqual(['a', 'c'])
  expect(await pending()).toEqual(['b'])
})

test('more than fit in one transaction are delivered in one round', async () => {
  const replica = shared.another()
  for (let number = 0; number < 45; number += 1) await add(`user-${number}`)
  await replica.deliverAll()
  expect(replica.revoked).toHaveLength(45)
  expect(await pending()).toEqual([])
})

test('replicas that deliver at once deliver each once', async () => {
  const replicas = [shared.another(), shared.another()]
  for (let number = 0; number < 30; number += 1) await add(`user-${number}`)
  await Promise.all(replicas.map(({ deliverAll }) => deliverAll()))
  const told = replicas.flatMap(({ revoked }) => revoked.map(({ target }) => target))
  expect(new Set(told).size).toBe(30)
  expect(told).toHaveLength(30)
  expect(await pending()).toEqual([])
})

test('who waits for a revocation waits for another replica that is delivering it', async () => {
  const store = createPendingRevocationStore(shared.replica().database)
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const id = await add('a')
  const first = store.settleOldest(1, async () => {
    begin()
    await released
  })
  await begun
  let done = false
  const replica = shared.another()
  const waiting = replica.disabling.deliver(id).then(() => {
    done = true
  })
  // The repeated round of another replica does not wait.
  await replica.deliverAll()
  expect(done).toBe(false)
  release()
  await Promise.all([first, waiting])
  expect(replica.revoked).toEqual([])
  expect(await pending()).toEqual([])
})

test('the moment is that of the statement, rounded up to the millisecond', async () => {
  await shared.query(
    'alter table identity.pending_revocations add column written_at timestamptz default clock_timestamp()',
  )
  for (let time = 0; time < 5; time += 1) await add('a')
  const [row] = await shared.query(
    `select bool_and(issued_before = date_trunc('milliseconds', issued_before)) as whole,
       bool_and(issued_before - written_at between interval '-1 ms' and interval '1 ms') as close,
       count(*) filter (where issued_before >= written_at)::int as up
     from identity.pending_revocations`,
  )
  await shared.query('alter table identity.pending_revocations drop column written_at')
  expect(row).toMatchObject({ whole: true, close: true })
  // Not all, since a millisecond may end between the two looks at the clock.
  expect(row?.up).toBeGreaterThanOrEqual(4)
})

test('the token service is told over its contract, and its failure is a failure', async () => {
  const service = { revokeMany: TokenServiceService.revokeMany }
  const requests: RevokeManyRequest[] = []
  const implementation = implement(service, {
    revokeMany: async (request) => {
      requests.push(request)
      if (requests.length === 1) throw new Error('not yet')
      return {}
    },
  })
  const { log } = recordedLog()
  const options = { host: '127.0.0.1', port: 0, actor: 'token', log, registry: new Registry() }
  const server = await startRpcServer([implementation], options, () => undefined)
  const client = createRpcClient(service, `127.0.0.1:${server.port}`, 5_000)
  const store = createPendingRevocationStore(shared.replica().database)
  const { deliverAll } = createDelivery({ store, revoke: revokeOver(client), log })
  try {
    await add('a')
    const [row] = await shared.query('select issued_before from identity.pending_revocations')
    await expect(deliverAll()).rejects.toMatchObject({ code: 'server_error' })
    expect(await pending()).toEqual(['a'])
    await deliverAll()
    expect(requests[1]).toEqual({
      kind: RevocationKind.REVOCATION_KIND_USER,
      id: 'a',
      issuedBefore: row?.issued_before,
    })
    await addPendingRevocation(shared.replica().database.prisma, 'consent', 'a:client_a')
    await deliverAll()
    expect(requests[2]).toMatchObject({ kind: RevocationKind.REVOCATION_KIND_CONSENT, id: 'a:client_a' })
    expect(await pending()).toEqual([])
  } finally {
    client.close()
    await server.close(0)
  }
})
