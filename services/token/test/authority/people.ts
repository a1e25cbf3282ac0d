import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { implement, startRpcServer } from '@gatehouse/kit/rpc/rpc-server'
import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type AuthorityQuestion, IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { createAuthority } from '../../src/authority/authority.ts'
import type { AuthorityDeps } from '../../src/authority/needs.ts'
import { findAuthorityOver } from '../../src/other-services/authority-client.ts'
import { findProfileOver } from '../../src/other-services/identity-client.ts'
import { attributesOver } from '../../src/other-services/open-authority.ts'
import { unaskedOrganizations } from '../organizations/organizations.ts'

/** A user of the identity service, as these tests need it. */
export type Person = {
  /** The names of roles by the id of their resource server. */
  roles?: Readonly<Record<string, readonly string[]>>
  groups?: readonly string[]
  attributes?: Readonly<Record<string, unknown>>
}

/** An identity service on a port that knows these people, by their ids. Nobody else is active. */
export async function startPeople() {
  const people = new Map<string, Person>()
  /** The questions of each call. */
  const calls: AuthorityQuestion[][] = []
  const profiles: string[] = []
  let revision = 1n
  const { getAuthorities, getUserClaims } = IdentityServiceService
  const answer = ({ userId, resourceIds, groups }: AuthorityQuestion) => {
    const person = people.get(userId)
    if (person === undefined) return { active: false, revision, roles: [], groups: [] }
    const roles = resourceIds.flatMap((resourceId) => {
      const names = person.roles?.[resourceId] ?? []
      return names.length > 0 ? [{ resourceId, roles: [...names].sort() }] : []
    })
    return { active: true, revision, roles, groups: groups ? [...(person.groups ?? [])].sort() : [] }
  }
  const implementation = implement(
    { getAuthorities, getUserClaims },
    {
      getAuthorities: async ({ questions }) => {
        calls.push(questions)
        return { authorities: questions.map(answer) }
      },
      getUserClaims: async ({ userIds }) => {
        profiles.push(...userIds)
        const found = userIds.flatMap((userId) => {
          const { attributes } = people.get(userId) ?? {}
          return attributes ? [{ userId, username: 'ann', attributes, updatedAt: new Date(0) }] : []
        })
        return { users: found }
      },
    },
  )
  const options = { host: '127.0.0.1', port: 0, actor: 'identity', log: recordedLog().log }
  const server = await startRpcServer(
    [implementation],
    { ...options, registry: new Registry() },
    () => undefined,
  )
  const rpc = createRpcClient(IdentityServiceService, `127.0.0.1:${server.port}`, 2_000)
  const findProfile = findProfileOver(rpc)
  return {
    /** Adds or changes a person. */
    put: (userId: string, person: Person) => void people.set(userId, person),
    disable: (userId: string) => void people.delete(userId),
    /** Takes something from a person, as the identity service does. @returns the revision of the change */
    take(userId: string, left: Person) {
      people.set(userId, left)
      revision += 1n
      return revision
    },
    calls,
    profiles,
    authority: (knownServers: AuthorityDeps['knownServers']) =>
      createAuthority({
        findAuthority: findAuthorityOver(rpc, 2_000),
        findAttributes: attributesOver(findProfile, unaskedOrganizations),
        organizations: unaskedOrganizations,
        knownServers,
      }),
    findProfile,
    goAway: () => server.close(0),
    async close() {
      rpc.close()
      await server.close(0)
    },
  }
}
