import type { MemberInvitation, OrganizationInvitation } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Code, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { Action } from '../actions/action.ts'
import { Time } from '../activity/cells.tsx'
import { SchemaForm } from '../form/schema-form.tsx'
import { namedRoles, noRoles, RoleInputs } from '../groups/give-roles.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useNotices } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { renewAll } from '../queries.ts'
import { useMay } from '../shell/administrator.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { useInvitationSchema } from './form-schema.ts'
import { type MemberRole, MemberRoleBadge, MemberRoleInput } from './member-role.tsx'
import { atOrganization, inviteMember, sendInvitationAgain, withdrawMemberInvitation } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { invitationTexts } from './texts/invitation.ts'
import { memberTexts } from './texts/member.ts'

/** The open invitations to an organization, and a form that invites. */
export function OrganizationInvitations({ id }: { id: string }) {
  const t = useTexts(invitationTexts)
  const mayWrite = useMayWrite()
  // After each invitation the form begins anew.
  const [invited, setInvited] = useState(0)
  return (
    <Stack>
      {mayWrite && (
        <Panel title={t.invite}>
          <InvitationForm key={invited} id={id} onInvited={() => setInvited(invited + 1)} />
        </Panel>
      )}
      <Stack component="section" aria-labelledby="open-invitations">
        <Title order={2} size="h4" id="open-invitations">
          {t.title}
        </Title>
        <InvitationList id={id} />
      </Stack>
    </Stack>
  )
}

function InvitationForm({ id, onInvited }: { id: string; onInvited(): void }) {
  const t = useTexts(invitationTexts)
  const { language } = useLanguage()
  const { done } = useNotices()
  const mayReadResources = useMay()('resources', 'read')
  const schema = useInvitationSchema()
  const [role, setRole] = useState<MemberRole>('member')
  const [chosen, setChosen] = useState(noRoles)
  const [mailLanguage, setMailLanguage] = useState<string>(language)
  const names = new Intl.DisplayNames(language, { type: 'language' })
  const languages = (schema.properties.language?.enum ?? []).filter((code) => code !== null)
  return (
    <SchemaForm
      schema={schema}
      initial={{}}
      main={['email']}
      without={['role', 'roles', 'language']}
      action={t.invite}
      send={async (values) => {
        const roles = namedRoles(chosen)
        const invitation = { ...values, role, roles, language: mailLanguage } as MemberInvitation
        const { email } = await inviteMember(id, invitation)
        done(t.invited(email))
        void renewAll()
        onInvited()
      }}
    >
      <MemberRoleInput role={role} onChange={setRole} />
      {mayReadResources && (
        <div>
          <Text size="sm" mb="xs">
            {t.rolesText}
          </Text>
          <RoleInputs chosen={chosen} onChange={setChosen} />
        </div>
      )}
      <NativeSelect
        label={t.language}
        value={mailLanguage}
        onChange={({ currentTarget }) => setMailLanguage(currentTarget.value)}
        data={languages.map((value) => ({ value, label: names.of(value) ?? value }))}
      />
    </SchemaForm>
  )
}

function InvitationList({ id }: { id: string }) {
  const t = useTexts(invitationTexts)
  const members = useTexts(memberTexts)
  const mayWrite = useMayWrite()
  const actions: Action<OrganizationInvitation>[] = [
    {
      label: t.resend,
      consequences: t.resendEnds,
      perform: ({ invitation_id: invitationId }) => sendInvitationAgain(id, invitationId),
      done: t.resent,
      doneAll: t.resentAll,
    },
    {
      label: t.withdraw,
      color: 'red',
      consequences: t.withdrawEnds,
      perform: ({ invitation_id: invitationId }) => withdrawMemberInvitation(id, invitationId),
      done: t.withdrawn,
      doneAll: t.withdrawnAll,
    },
  ]
  const list: ListDefinition<'/admin/api/organizations/{organization_id}/invitations'> = {
    path: '/admin/api/organizations/{organization_id}/invitations',
    ...atOrganization(id),
    id: ({ invitation_id: invitationId }) => invitationId,
    nameOf: ({ email }) => email,
    exportName: 'invitations',
    bulk: mayWrite ? actions : undefined,
    columns: [
      {
        name: 'email',
        label: t.email,
        cell: ({ email }) => (
          <bdi style={{ display: 'inline-block', minInlineSize: '11rem', overflowWrap: 'anywhere' }}>
            {email}
          </bdi>
        ),
      },
      {
        name: 'role',
        label: members.shortRole,
        cell: ({ role }) => <MemberRoleBadge role={role} />,
        text: ({ role }) => members.roles[role],
      },
      {
        name: 'roles',
        label: t.roles,
        text: ({ roles }) => roles.map(({ resource, role }) => `${resource} ${role}`).join(' '),
        cell: ({ roles }) => <InvitedRoles roles={roles} />,
      },
      { name: 'invited_by', label: t.by, cell: ({ invited_by: by }) => <bdi>{by}</bdi> },
      { name: 'sent_at', label: t.sent, cell: ({ sent_at: at }) => <Time at={at} /> },
      { name: 'expires_at', label: t.ends, cell: ({ expires_at: at }) => <Ends at={at} /> },
    ],
    empty: <Nothing title={t.empty} text={t.emptyText} />,
  }
  return <List list={list} />
}

function InvitedRoles({ roles }: { roles: OrganizationInvitation['roles'] }) {
  if (roles.length === 0) return '–'
  return (
    <Group gap={4}>
      {roles.map(({ resource_id: resource, role }) => (
        <Code key={`${resource} ${role}`}>{role}</Code>
      ))}
    </Group>
  )
}

/** When a link ends, or that it has. */
function Ends({ at }: { at: string }) {
  const { expired } = useTexts(invitationTexts)
  return new Date(at) < new Date() ? <Badge color="yellow">{expired}</Badge> : <Time at={at} />
}
