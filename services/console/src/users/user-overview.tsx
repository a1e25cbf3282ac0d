import type { User } from '@gatehouse/admin-api/generated/openapi'
import { Anchor, Badge, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { DangerZone } from '../actions/danger.tsx'
import { useDeletion } from '../actions/deletion.ts'
import { useDanger } from '../actions/use-action.ts'
import { loginTexts as providerTexts } from '../activity/texts/reason.ts'
import { labelOf } from '../form/schema-form.tsx'
import { attributeNames } from '../names/attribute-names.ts'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { Panel } from '../parts/panel.tsx'
import { State } from '../parts/state.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { roleTexts } from '../texts/role.ts'
import { useUserRevocation } from './actions.ts'
import { useUserSchema } from './attributes.ts'
import { LoginCheck } from './login-check.tsx'
import { deleteUser } from './requests.ts'
import { useRights } from './rights.ts'
import { userTexts } from './texts/texts.ts'

/** Whether a user can log in, who they are, and what ends them. */
export function UserOverview({ user }: { user: User }) {
  const { mayChange } = useRights()
  return (
    <Stack gap="lg">
      <LoginCheck user={user} />
      <UserFacts user={user} />
      {mayChange(user) && <Danger user={user} />}
    </Stack>
  )
}

function UserFacts({ user }: { user: User }) {
  const t = useTexts(userTexts)
  const common = useTexts(commonTexts)
  const roles = useTexts(roleTexts)
  const schema = useUserSchema('UserChange')
  const attributes = user as unknown as Readonly<Record<string, ReactNode>>
  const own: Readonly<Record<string, ReactNode>> = {
    email: user.email && <Email user={user} />,
    email_verified: undefined,
    picture: user.picture && <Picture address={user.picture} />,
  }
  return (
    <Panel title={t.facts}>
      <Facts
        facts={[
          [common.state, <State key="state" disabled={user.disabled} />],
          [t.labels.disabled_at, user.disabled_at && <Moment key="disabled" at={user.disabled_at} />],
          [roles.role, user.admin_role ? roles.titles[user.admin_role] : roles.none],
          ...attributeNames.map(
            (name) => [labelOf(schema, name), name in own ? own[name] : attributes[name]] as const,
          ),
          [t.password, user.has_password ? t.passwordSet : t.passwordNone],
          [t.accounts, <Accounts key="accounts" user={user} />],
          [common.created, <Moment key="created" at={user.created_at} />],
        ]}
      />
    </Panel>
  )
}

function Email({ user: { email, email_verified: confirmed } }: { user: User }) {
  const t = useTexts(userTexts)
  return (
    <Group gap="xs">
      <span>{email}</span>
      <Badge color={confirmed ? 'teal' : 'yellow'}>{confirmed ? t.emailConfirmed : t.emailUnconfirmed}</Badge>
    </Group>
  )
}

function Picture({ address }: { address: string }) {
  const { protocol } = URL.canParse(address) ? new URL(address) : { protocol: '' }
  if (protocol !== 'https:' && protocol !== 'http:') return address
  return (
    <Anchor href={address} target="_blank" rel="noreferrer">
      {address}
    </Anchor>
  )
}

function Accounts({ user: { social_accounts: accounts } }: { user: User }) {
  const t = useTexts(userTexts)
  const { methods } = useTexts(providerTexts)
  if (accounts.length === 0) return t.noAccounts
  return accounts.map(({ provider, display_name: name, linked_at: at }) => (
    <Text key={`${provider} ${name}`} size="sm">
      {t.linkedAs(methods[provider] ?? provider, name)} <Moment at={at} />
    </Text>
  ))
}

function Danger({ user }: { user: User }) {
  const t = useTexts(userTexts)
  const { isSelf } = useRights()
  const { user_id: id, username } = user
  const deletion = useDeletion(username, '/users', t, () => deleteUser(id))
  const revoke = useDanger(useUserRevocation(), user, username, t.revokeText)
  return <DangerZone title={t.danger} actions={isSelf(user) ? [revoke] : [revoke, deletion]} />
}
