import { randomInt } from 'node:crypto'
import { hasClusters, startCluster } from '@gatehouse/test/cluster'
import { untilReady } from '@gatehouse/test/oauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  getTokens,
  introspect,
  type Organization,
  type Person,
  refresh,
  type Stage,
  setStage,
} from './organization-history.ts'

/** A membership, as it should be. */
type Membership = { roles: Set<string>; inGroup: boolean }

/** A grant with its newest tokens, as they should be. */
type Given = {
  person: Person
  organization: Organization | undefined
  /** The membership in which it was given. A person who leaves and joins has another one. */
  membership: Membership | undefined
  /** How often the organization had been disabled, and how often something had been taken from the person. */
  disabled: number
  taken: number
  access: string
  refresh: string
}

const steps = 160
const seed = Number(process.env.GATEHOUSE_TEST_SEED ?? randomInt(2 ** 31))

describe.skipIf(!hasClusters)(`two organizations, in a history of seed ${seed}`, () => {
  let stage: Stage
  beforeAll(async () => {
    const cluster = await startCluster({
      replicas: { gateway: 2, token: 2, identity: 2 },
      variables: { OAUTH2_PROFILE: 'openid' },
    })
    await untilReady(cluster)
    stage = await setStage(cluster, 4)
  }, 240_000)
  afterAll(() => stage?.cluster.stop())

  test('nothing crosses, whatever is changed on whichever replica', { timeout: 300_000 }, async () => {
    const { api, people, organizations } = stage
    const random = generator(seed)
    const one = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item
    const memberships = new Map<string, Membership>()
    const keyOf = (person: Person, { id }: Organization) => `${person.id} ${id}`
    const isDisabled = new Map(organizations.map((one) => [one, false]))
    const disabledTimes = new Map(organizations.map((one) => [one, 0]))
    const takenTimes = new Map(people.map((one) => [one, 0]))
    const given: Given[] = []
    const history: string[] = []

    const take = (person: Person) => takenTimes.set(person, (takenTimes.get(person) ?? 0) + 1)
    const isLive = ({ person, organization, membership, disabled }: Given) =>
      organization === undefined ||
      (memberships.get(keyOf(person, organization)) === membership &&
        isDisabled.get(organization) === false &&
        disabledTimes.get(organization) === disabled)
    const rolesOf = (membership: Membership | undefined) => {
      const roles = [...(membership?.roles ?? []), ...(membership?.inGroup ? ['writer'] : [])]
      return [...new Set(roles)].sort()
    }
    const outcomes = async (
      path: string,
      body: object,
      field: 'set' | 'removed' | 'added' | 'given' | 'taken',
    ) => {
      const { status, body: answer } = await api('PATCH', path, body)
      return status === 200 ? answer[field]?.map(({ outcome }) => outcome) : [status]
    }

    /** Checks an access token by introspection, and that it tells of its own organization alone. */
    const expectToken = async (grant: Given, isActive: boolean) => {
      const app = grant.organization ? stage.inside : stage.outside
      const told = await introspect(stage, app, grant.access)
      const where = history.slice(-12).join('\n')
      expect(told.active, where).toBe(isActive)
      if (!isActive) return
      const { organization, membership } = grant
      expect([told.org_id, told.roles ?? [], told.groups ?? []], where).toEqual([
        organization?.id,
        rolesOf(membership),
        membership?.inGroup ? [`staff of ${organization?.slug}`] : [],
      ])
    }
    const changed = (grant: Given) => grant.taken !== takenTimes.get(grant.person)

    const actions: Record<string, (person: Person, organization: Organization) => Promise<void>> = {
      async join(person, organization) {
        const set = [{ user_id: person.id, role: one(['member', 'admin']) }]
        const isMember = memberships.has(keyOf(person, organization))
        const result = await outcomes(`/organizations/${organization.id}/members`, { set }, 'set')
        if (!isMember) expect(result).toEqual(['done'])
        if (!isMember) memberships.set(keyOf(person, organization), { roles: new Set(), inGroup: false })
      },
      async leave(person, organization) {
        const isMember = memberships.delete(keyOf(person, organization))
        const path = `/organizations/${organization.id}/members`
        expect(await outcomes(path, { remove: [person.id] }, 'removed')).toEqual([
          isMember ? 'done' : 'unchanged',
        ])
        if (isMember) take(person)
      },
      async 'give a role'(person, organization) {
        const membership = memberships.get(keyOf(person, organization))
        const path = `/organizations/${organization.id}/members/${person.id}/roles`
        const result = await outcomes(path, { give: [stage.reader] }, 'given')
        if (membership === undefined) expect(result).not.toEqual(['done'])
        else {
          expect(result).toEqual([membership.roles.has('reader') ? 'unchanged' : 'done'])
          membership.roles.add('reader')
        }
      },
      async 'take a role'(person, organization) {
        const membership = memberships.get(keyOf(person, organization))
        const path = `/organizations/${organization.id}/members/${person.id}/roles`
        await api('PATCH', path, { take: [stage.reader] })
        if (membership?.roles.delete('reader')) take(person)
      },
      async 'join the group'(person, organization) {
        const membership = memberships.get(keyOf(person, organization))
        const path = `/organizations/${organization.id}/groups/${organization.groupId}/members`
        const result = await outcomes(path, { add: [person.id] }, 'added')
        if (membership === undefined) expect(result).not.toEqual(['done'])
        else membership.inGroup = true
      },
      async 'leave the group'(person, organization) {
        const membership = memberships.get(keyOf(person, organization))
        const path = `/organizations/${organization.id}/groups/${organization.groupId}/members`
        await api('PATCH', path, { remove: [person.id] })
        if (!membership?.inGroup) return
        membership.inGroup = false
        take(person)
      },
      async 'disable or enable'(_, organization) {
        const disabled = !isDisabled.get(organization)
        const { status } = await api('PATCH', `/organizations/${organization.id}`, { disabled })
        expect(status).toBe(200)
        isDisabled.set(organization, disabled)
        if (disabled) disabledTimes.set(organization, (disabledTimes.get(organization) ?? 0) + 1)
      },
      async 'ask by a foreign path'(person, organization) {
        const other = organizations.find((one) => one !== organization) as Organization
        const foreign = `/organizations/${organization.id}/groups/${other.groupId}`
        for (const [method, path, body] of [
          ['GET', foreign, undefined],
          ['PATCH', foreign, { description: 'taken over' }],
          ['DELETE', foreign, undefined],
          ['PATCH', `${foreign}/members`, { add: [person.id] }],
          ['PATCH', `${foreign}/roles`, { give: [stage.reader] }],
          ['GET', `/groups/${other.groupId}`, undefined],
          ['PATCH', `/groups/${other.groupId}/members`, { add: [person.id] }],
        ] as const)
          expect([path, (await api(method, path, body)).status]).toEqual([path, 404])
      },
      async 'get tokens'(person, organization) {
        const membership = memberships.get(keyOf(person, organization))
        const named = one([organization.id, organization.slug])
        const tokens = await getTokens(stage, stage.inside, person, named)
        const may = membership !== undefined && isDisabled.get(organization) === false
        expect(tokens.error, history.slice(-12).join('\n')).toBe(may ? undefined : 'access_denied')
        if (tokens.error === undefined) await keep({ person, organization, membership }, tokens)
      },
      async 'get tokens of no organization'(person, organization) {
        const tokens = await getTokens(stage, stage.outside, person, one([undefined, organization.id]))
        if (tokens.error !== undefined) return expect.unreachable(tokens.error)
        await keep({ person, organization: undefined, membership: undefined }, tokens)
      },
      async refresh() {
        if (given.length === 0) return
        const grant = one(given)
        const app = grant.organization ? stage.inside : stage.outside
        const tokens = await refresh(stage, app, grant.refresh)
        expect(tokens.error, history.slice(-12).join('\n')).toBe(isLive(grant) ? undefined : 'invalid_grant')
        if (tokens.error !== undefined) return
        Object.assign(grant, { access: tokens.access_token, refresh: tokens.refresh_token })
        grant.taken = takenTimes.get(grant.person) ?? 0
        await expectToken(grant, true)
      },
    }
    const keep = async (
      of: Pick<Given, 'person' | 'organization' | 'membership'>,
      tokens: { access_token: string; refresh_token: string },
    ) => {
      const grant = {
        ...of,
        disabled: of.organization ? (disabledTimes.get(of.organization) ?? 0) : 0,
        taken: takenTimes.get(of.person) ?? 0,
        access: tokens.access_token,
        refresh: tokens.refresh_token,
      }
      given.push(grant)
      await expectToken(grant, true)
    }

    // People act more often than they are changed: otherwise hardly a token would be left to look at.
    const often = ['join', 'get tokens', 'get tokens', 'get tokens', 'refresh', 'refresh']
    const names = [...Object.keys(actions), ...often]
    const pairs = people.flatMap((person) => organizations.map((organization) => ({ person, organization })))
    const first = ['join', 'get tokens'].flatMap((name) => pairs.map((pair) => ({ name, ...pair })))
    for (let step = 0; step < steps; step += 1) {
      const drawn = { name: one(names), person: one(people), organization: one(organizations) }
      const { name, person, organization } = first[step] ?? drawn
      history.push(`${name}, ${people.indexOf(person)}, ${organization.slug}`)
      await actions[name]?.(person, organization)
      // A change counts at once for everything that was issued before.
      for (const grant of given.slice(-6))
        if (!isLive(grant)) await expectToken(grant, false)
        else if (!changed(grant))
          expect(
            (await introspect(stage, grant.organization ? stage.inside : stage.outside, grant.access)).active,
            history.slice(-12).join('\n'),
          ).toBe(true)
    }
  })
})

/** Numbers that depend on a seed alone (mulberry32). @returns a whole number below the given one */
function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below) | 0
  }
}
