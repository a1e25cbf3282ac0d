import { administratorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import { adminRoleNames, adminRoleOf, adminRoles } from '@gatehouse/proto/administration'
import type { UserRecord } from '@gatehouse/proto/identity/v1'
import type { FastifyRequest } from 'fastify'
import { attributeFacts } from '../../attribute-inputs.ts'
import type { QuestionField, UserFacts } from './contents.ts'

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
  const { userId, username, hasPassword, createdAt, disabledAt, attributes = {} } = user
  const { actor } = administratorOf(request)
  const role = adminRoleOf(user)
  return {
    userId,
    username,
    role: role && adminRoles[role].title,
    hasPassword,
    createdAt,
    name: String(attributes.name ?? ''),
    email: String(attributes.email ?? ''),
    attributes: attributeFacts(attributes, 'en'),
    disabled: disabledAt !== undefined,
    self: actor.kind === 'user' && actor.id === userId,
  }
}

/** The roles to choose from. @param selected the role's name; empty for none */
export function roleOptions(selected: string): NonNullable<QuestionField['options']> {
  const named = adminRoleNames.map((value) => ({ value, label: adminRoles[value].title }))
  return [{ value: '', label: 'Ordinary user' }, ...named].map((option) => ({
    ...option,
    selected: option.value === selected,
  }))
}
