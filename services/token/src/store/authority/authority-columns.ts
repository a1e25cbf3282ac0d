import type { TokenAuthority } from '../../authority/judgement.ts'
import type { Column } from '../columns.ts'

/** The columns of an access token for what roles and groups decided about it. */
export const authorityColumns: readonly Column<{ authority?: TokenAuthority | undefined }>[] = [
  {
    ...{ name: 'carried', type: 'jsonb' },
    value: ({ authority }) => authority?.carried && JSON.stringify(authority.carried),
  },
  { name: 'authority_revision', type: 'bigint', value: ({ authority }) => authority?.authorityRevision },
  { name: 'roles_revision', type: 'bigint', value: ({ authority }) => authority?.rolesRevision },
]
