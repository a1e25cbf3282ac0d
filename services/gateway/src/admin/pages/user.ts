import { administratorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { UserRecord } from '@gatehouse/proto/identity/v1'
import type { FastifyRequest } from 'fastify'
import { attributeFacts } from '../../attribute-inputs.ts'
import type { UserFacts } from './contents.ts'

/** The path of a user's page. */
export function pathOf(userId: string): string {
  return `/admin/users/${encodeURIComponent(userId)}`
}

/** @throws Refusal not_found */
export async function userOf(userId: string, { identity }: Pick<AdminDeps, 'identity'>): Promise<UserRecord> {
  const { user } = await identity.getUser({ userId })
  if (user === undefined) throw new Error('the identity service gave no user')
  return user
}

/** A user as pages show them. */
export function factsOf(user: UserRecord, request: FastifyRequest): UserFacts {
  const { userId, username, admin, hasPassword, createdAt, disabledAt, attributes = {} } = user
  const { actor } = administratorOf(request)
  return {
    userId,
    username,
    admin,
    hasPassword,
    createdAt,
    name: String(attributes.name ?? ''),
    email: String(attributes.email ?? ''),
    attributes: attributeFacts(attributes, 'en'),
    disabled: disabledAt !== undefined,
    self: actor.kind === 'user' && actor.id === userId,
  }
}
