import { Badge, Radio, Stack } from '@mantine/core'
import { useTexts } from '../texts/language.ts'
import { type Role, roleNames, roleTexts } from '../texts/role.ts'

/** The role of a user in words; nothing for an ordinary user. */
export function RoleBadge({ role }: { role: Role | undefined }) {
  const { titles } = useTexts(roleTexts)
  return role && <Badge color="grape">{titles[role]}</Badge>
}

/** The choice of a role, each with what it allows. @param value undefined for an ordinary user */
export function RoleChoice({
  value,
  onChange,
  disabled,
  note,
}: {
  value: Role | undefined
  onChange(role: Role | undefined): void
  disabled: boolean
  /** Why it cannot be changed. */
  note?: string
}) {
  const t = useTexts(roleTexts)
  return (
    <Radio.Group
      label={t.role}
      description={note ?? t.roleText}
      value={value ?? ''}
      onChange={(name) => onChange(roleNames.find((role) => role === name))}
    >
      <Stack gap="xs" mt="xs">
        <Radio value="" label={t.none} description={t.noneText} disabled={disabled} />
        {roleNames.map((name) => (
          <Radio
            key={name}
            value={name}
            label={t.titles[name]}
            description={t.descriptions[name]}
            disabled={disabled}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
