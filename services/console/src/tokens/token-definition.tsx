import type { AccessToken } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Text } from '@mantine/core'
import type { Column, ListDefinition } from '../list/definition.ts'
import { ClientName } from '../names/client-name.tsx'
import { OrganizationName } from '../names/organization-name.tsx'
import { organizationNameTexts } from '../names/organization-texts.ts'
import { CopyableCode } from '../parts/copy.tsx'
import { Moment } from '../parts/moment.tsx'
import { Named } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { revokeToken } from './requests.ts'
import { tokenTexts } from './texts.ts'

/** A list of access tokens. The page decides about the content that is shown when there are none. */
export function useTokenList(): Omit<ListDefinition<'/admin/api/tokens'>, 'empty'> {
  const t = useTexts(tokenTexts)
  const mayWrite = useMay()('tokens', 'write')
  return {
    path: '/admin/api/tokens',
    id: ({ jti }) => jti,
    nameOf: ({ jti }) => jti,
    exportName: 'tokens',
    columns: useColumns(),
    bulk: mayWrite
      ? [
          {
            label: t.revoke,
            color: 'red',
            consequences: t.revokeEnds,
            concerns: ({ revoked }) => !revoked,
            perform: ({ jti, exp }) => revokeToken({ jti, exp }),
            done: () => t.revokedNotice,
            doneAll: t.revokedAll,
          },
        ]
      : undefined,
  }
}

function useColumns(): Column<AccessToken>[] {
  const t = useTexts(tokenTexts)
  const common = useTexts(commonTexts)
  const mayReadUsers = useMay()('users', 'read')
  return [
    { name: 'client_id', label: t.client, cell: ({ client_id: id }) => <ClientName id={id} /> },
    {
      name: 'user_id',
      label: t.user,
      text: ({ username }) => username,
      cell: ({ user_id: id, username }) =>
        id ? (
          <Named
            name={username ?? id}
            id={id}
            to={mayReadUsers ? `/users/${encodeURIComponent(id)}` : undefined}
          />
        ) : (
          '–'
        ),
    },
    {
      name: 'organization_id',
      label: useTexts(organizationNameTexts).organization,
      cell: ({ organization_id: id }) => (id ? <OrganizationName id={id} /> : '–'),
    },
    { name: 'scope', label: t.scope, cell: ({ scope }) => scope || '–' },
    {
      name: 'resources',
      label: t.resources,
      text: ({ resources }) => resources?.join(' '),
      cell: ({ resources }) => <Resources identifiers={resources} />,
    },
    {
      name: 'issued_at',
      label: t.issued,
      cell: ({ issued_at: at }) => <Moment at={at} />,
    },
    { name: 'expires_at', label: t.expires, cell: ({ expires_at: at }) => <Moment at={at} /> },
    {
      name: 'revoked',
      label: common.state,
      cell: ({ revoked }) => (
        <Badge color={revoked ? 'red' : 'teal'}>{revoked ? t.revoked : common.active}</Badge>
      ),
    },
    {
      name: 'jti',
      label: t.jti,
      hidden: true,
      cell: ({ jti }) => <CopyableCode value={jti} label={t.jti} />,
    },
    {
      name: 'grant_id',
      label: t.grant,
      hidden: true,
      cell: ({ grant_id: id }) => <CopyableCode value={id} label={t.grant} />,
    },
  ]
}

function Resources({ identifiers }: { identifiers: readonly string[] | undefined }) {
  const t = useTexts(tokenTexts)
  if (identifiers === undefined)
    return (
      <Text size="sm" c="dimmed">
        {t.defaultAudience}
      </Text>
    )
  return identifiers.map((identifier) => (
    <Text key={identifier} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {identifier}
    </Text>
  ))
}
