import { administered, bySession, rootActor } from '@gatehouse/gateway/testing/administrator'
import { instance } from '@gatehouse/kit/release'
import { expect, test } from 'vitest'
import type { Replica } from '../src/deps.ts'

const [jwt, factor, session] = ['OAUTH2_JWT_SECRET', 'OAUTH2_FACTOR_KEY', 'OAUTH2_SESSION_KEY']
const path = '/admin/api/secrets/reencrypt'

const generationOf = (variable: string, generation = 'a', changing = true) => ({
  variable,
  generation,
  changing,
})
const gatewayAt = (name: string, generation = 'a') => ({
  instance: name,
  generations: [generationOf(session, generation)],
})

function replicaOf(service: string, changes: Partial<Replica> = {}): Replica {
  const generations = service === 'token' ? [generationOf(jwt)] : [generationOf(factor)]
  return {
    ...{ service, instance: `${service}-1`, address: `${service}:50051`, version: '1.2.3', healthy: true },
    ...{ database: true, answeredInMs: 1, generations, gateways: [] },
    ...changes,
  }
}

const token = replicaOf('token')
const identity = replicaOf('identity', { gateways: [gatewayAt(instance)] })
const nothing = { read: 0, rewritten: 0, unreadable: 0, next: '', neededUntil: undefined }
const done = { ...nothing, sessionsUntil: undefined }
type Batch = { read?: number; next?: string; neededUntil?: Date; sessionsUntil?: Date }

/** A gateway of a system with these replicas, whose services answer with these batches one after the other. */
async function systemOf(replicas: Replica[], batches: Partial<Record<'token' | 'identity', Batch[]>> = {}) {
  const asked: unknown[] = []
  const answering = (service: 'token' | 'identity') => ({
    async reencrypt(request: object) {
      asked.push([service, request])
      return { ...done, ...batches[service]?.shift() }
    },
  })
  const { send } = await administered({
    replicas: async () => replicas,
    encrypting: { token: answering('token'), identity: answering('identity') },
  })
  const run = async (body?: object) => {
    const { status, text } = await send('POST', path, body, bySession)
    return [status, JSON.parse(text)]
  }
  return { run, asked }
}

const hour = new Date('2030-01-01T01:00:00Z')

test('everything is encrypted anew, batch by batch, and what needs the other secrets is said', async () => {
  const { run, asked } = await systemOf([token, identity], {
    token: [{ read: 2, neededUntil: hour }],
    identity: [
      { read: 500, next: 'id' },
      { read: 3, sessionsUntil: hour },
    ],
  })
  const secret = { changing: true, rewritten: 0, unreadable: 0 }
  expect(await run()).toEqual([
    200,
    {
      secrets: [
        { ...secret, variable: jwt, read: 2, other_needed_until: hour.toISOString() },
        { ...secret, variable: factor, read: 503 },
        { ...secret, variable: session, read: 0, other_needed_until: hour.toISOString() },
      ],
    },
  ])
  expect(asked).toEqual([
    ['token', { actor: rootActor, after: '' }],
    ['identity', { actor: rootActor, after: '' }],
    ['identity', { actor: rootActor, after: 'id' }],
  ])
})

test('it goes on where an earlier answer ended, and nowhere else', async () => {
  const { run, asked } = await systemOf([token, identity])
  expect((await run({ after: `${factor} id` }))[0]).toBe(200)
  expect(asked).toEqual([['identity', { actor: rootActor, after: 'id' }]])
  for (const after of ['', 'id', `${session} id`, ` ${factor}`])
    expect(await run({ after })).toEqual([400, expect.objectContaining({ error: 'invalid_request' })])
  expect(asked).toHaveLength(1)
})

test('where no secret is being changed, nothing is said to need another', async () => {
  const same = { generations: [generationOf(jwt, 'a', false)] }
  const alone = [{ instance, generations: [generationOf(session, 'a', false)] }]
  const { run } = await systemOf(
    [replicaOf('token', same), replicaOf('identity', { generations: [], gateways: alone })],
    { token: [{ neededUntil: hour }], identity: [{ neededUntil: hour, sessionsUntil: hour }] },
  )
  const [, { secrets }] = await run()
  const secret = { changing: false, read: 0, rewritten: 0, unreadable: 0 }
  expect(secrets).toEqual([jwt, factor, session].map((variable) => ({ ...secret, variable })))
})

const other = (service: string, variable: string) =>
  replicaOf(service, { instance: `${service}-2`, generations: [generationOf(variable, 'b')] })

test.each<[string, Replica[], string]>([
  [
    'a token replica has another secret',
    [token, other('token', jwt), identity],
    'token-1 and token-2 (token) have different values of OAUTH2_JWT_SECRET: wait until every replica has the new one.',
  ],
  [
    'an identity replica has another key',
    [token, identity, other('identity', factor)],
    'identity-1 and identity-2 (identity) have different values of OAUTH2_FACTOR_KEY: wait until every replica has the new one.',
  ],
  [
    'an identity replica has none',
    [token, identity, replicaOf('identity', { instance: 'identity-2', generations: [] })],
    'identity-2 (identity) has no OAUTH2_FACTOR_KEY, or runs a release before this one.',
  ],
  [
    'a gateway has another key, which only one replica has noted',
    [token, identity, replicaOf('events', { generations: [], gateways: [gatewayAt('gateway-2', 'b')] })],
    `${instance} and gateway-2 (gateway) have different values of OAUTH2_SESSION_KEY: wait until every replica has the new one.`,
  ],
  [
    'this gateway is not noted',
    [token, replicaOf('identity')],
    'The gateways have not told yet which secrets they have. Ask again in some seconds.',
  ],
  [
    'a replica does not answer',
    [token, identity, replicaOf('token', { instance: undefined, generations: [] })],
    'A replica of token at token:50051 does not answer, so its secrets are not known.',
  ],
  [
    'a replica is of an older release',
    [replicaOf('token', { generations: [] }), identity],
    'token-1 (token) has no OAUTH2_JWT_SECRET, or runs a release before this one.',
  ],
])('nothing is encrypted while %s', async (_, replicas, description) => {
  const { run, asked } = await systemOf(replicas)
  expect(await run()).toEqual([409, { error: 'secrets_differ', error_description: description }])
  expect(asked).toEqual([])
})
