import type { Connection, ConnectionLink } from '@gatehouse/admin-api/generated/openapi'
import type { Action, Disabling } from '../actions/action.ts'
import { useTexts } from '../texts/language.ts'
import { changeConnection, readConnection, removeLink } from './requests.ts'
import { connectionTexts } from './texts/connection.ts'
import { linkTexts } from './texts/link.ts'

/** How connections are disabled and enabled. */
export function useConnectionDisabling(): Disabling<Connection> {
  const t = useTexts(connectionTexts)
  return {
    ...t,
    change: ({ connection_id: id }, disabled) => changeConnection(id, { disabled }),
    read: ({ connection_id: id }) => readConnection(id),
  }
}

/** How a link is removed. */
export function useUnlinking(): Action<ConnectionLink> {
  const t = useTexts(linkTexts)
  return {
    label: t.unlink,
    color: 'red',
    title: t.unlinkTitle,
    consequences: t.unlinkEnds,
    perform: removeLink,
    done: t.unlinked,
    doneAll: t.unlinkedAll,
  }
}
