import { MemberRole as MemberRoleMessage } from '@gatehouse/proto/organization/v1'
import { type MemberRole, memberRoleNames, memberRoles } from '@gatehouse/proto/organizations'
import { Type } from '@gatehouse/proto/typebox'

const meanings = memberRoleNames.map((name) => `\`${name}\`: ${memberRoles[name].description}`).join(' ')

/** The role of a member in an organization. */
export const memberRoleSchema = Type.Enum([...memberRoleNames], {
  title: 'Role',
  description: `What they are in the organization. ${meanings}`,
})

const messages: Record<MemberRole, MemberRoleMessage> = {
  member: MemberRoleMessage.MEMBER_ROLE_MEMBER,
  admin: MemberRoleMessage.MEMBER_ROLE_ADMIN,
  owner: MemberRoleMessage.MEMBER_ROLE_OWNER,
}

/** Such a role for a call to the identity service. */
export function memberRoleMessage(role: MemberRole): MemberRoleMessage {
  return messages[role]
}

/** Such a role of an answer of the identity service. @throws Error for nothing that is known here */
export function memberRoleIn(message: MemberRoleMessage): MemberRole {
  const role = memberRoleNames.find((name) => messages[name] === message)
  if (role === undefined) throw new Error('the identity service gave an unknown role of a member')
  return role
}
