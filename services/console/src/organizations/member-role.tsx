import { Badge, NativeSelect } from '@mantine/core'
import { useTexts } from '../texts/language.ts'
import { memberTexts } from './texts/member.ts'

/** The roles of members, from the one that allows least. */
export const memberRoles = ['member', 'admin', 'owner'] as const

/** The role of a member in their organization. */
export type MemberRole = (typeof memberRoles)[number]

const colors = { member: 'gray', admin: 'blue', owner: 'violet' }

/** The role of a member. */
export function MemberRoleBadge({ role }: { role: MemberRole }) {
  const t = useTexts(memberTexts)
  return <Badge color={colors[role]}>{t.roles[role]}</Badge>
}

/** The input for the role of a member, which says what the chosen one allows. */
export function MemberRoleInput({
  role,
  onChange,
  describes = true,
}: {
  role: MemberRole
  onChange(role: MemberRole): void
  describes?: boolean
}) {
  const t = useTexts(memberTexts)
  return (
    <NativeSelect
      label={t.role}
      description={describes ? t.descriptions[role] : undefined}
      value={role}
      data={memberRoles.map((value) => ({ value, label: t.roles[value] }))}
      onChange={({ currentTarget }) => onChange(currentTarget.value as MemberRole)}
    />
  )
}
