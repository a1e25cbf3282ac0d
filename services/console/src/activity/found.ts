import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { everythingTexts } from './texts/everything.ts'
import { activityTexts } from './texts/texts.ts'

/** Something whose activity can be listed. */
export type Found = {
  key: string
  /** The filter of the list, and its value. */
  filter: 'user_id' | 'client_id' | 'ip_address'
  value: string
  name: string
  detail: string
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const generatedClientId = /^client_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const address = /^(\d{1,3}(\.\d{1,3}){3}|[\da-f]{0,4}:[\da-f:.]+)$/i
/** How many users and clients are shown. */
const limit = 5

/** The users and clients that a text names, and the address that it is. An id also finds what was deleted. */
export function useFound(search: string) {
  const t = useTexts(everythingTexts)
  const { ipAddress } = useTexts(activityTexts)
  const may = useMay()
  const isAddress = address.test(search)
  const asks = (area: string) => ({ enabled: search !== '' && may(area, 'read') })
  const wanted = { query: { search, limit } }
  const users = useQuery({ ...read('/admin/api/users', wanted), ...asks('users') })
  const clients = useQuery({ ...read('/admin/api/clients', wanted), ...asks('clients') })
  const fetching = users.isFetching || clients.isFetching

  const found = (filter: Found['filter'], value: string, name: string, detail: string): Found => {
    return { key: `${filter} ${value}`, filter, value, name, detail }
  }
  const foundUsers = (users.data?.items ?? []).map(({ user_id: id, username, email }) =>
    found('user_id', id, username, email ?? id),
  )
  const foundClients = (clients.data?.items ?? []).map(({ client_id: id, client_name: name }) =>
    found('client_id', id, name, id),
  )
  const byId = (filter: Found['filter'], pattern: RegExp, others: readonly Found[], name: string) =>
    !fetching && others.length === 0 && pattern.test(search) ? [found(filter, search, name, search)] : []
  const groups: { label: string; options: Found[] }[] = [
    {
      label: ipAddress,
      options: isAddress ? [found('ip_address', search.toLowerCase(), search, t.everythingFrom)] : [],
    },
    { label: t.users, options: [...foundUsers, ...byId('user_id', uuid, foundUsers, t.userWithId)] },
    {
      label: t.clients,
      options: [...foundClients, ...byId('client_id', generatedClientId, foundClients, t.clientWithId)],
    },
  ]
  return {
    groups: groups.filter(({ options }) => options.length > 0),
    fetching,
    failed: users.isError || clients.isError,
  }
}
