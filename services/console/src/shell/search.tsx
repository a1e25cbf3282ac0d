import { Button, Kbd } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Answer, read } from '../api.ts'
import { useTexts } from '../texts/language.ts'
import { useMay } from './administrator.tsx'
import { shellTexts } from './texts.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
/** In milliseconds. */
const typing = 200
/** How many of each kind are shown. */
const limit = 5

/** Searches everything by a part of a name, an address or an id. Ctrl-K opens it. */
export function Search() {
  const t = useTexts(shellTexts)
  const [text, setText] = useState('')
  const [sought] = useDebouncedValue(text.trim(), typing)
  const navigate = useNavigate()
  const found = useFound(sought)
  const busy = found.fetching || sought !== text.trim()

  return (
    <>
      <Button
        variant="default"
        onClick={spotlight.open}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        aria-label={t.search}
        aria-keyshortcuts="Control+K"
      >
        {t.search}
      </Button>
      <Spotlight.Root
        query={text}
        onQueryChange={setText}
        shortcut={['mod + K']}
        scrollable
        maxHeight={480}
        lockScroll={false}
      >
        <Spotlight.Search placeholder={t.searchHint} aria-label={t.search} />
        <Spotlight.ActionsList>
          {found.groups
            .filter(({ items }) => items.length > 0)
            .map(({ label, items }) => (
              <Spotlight.ActionsGroup key={label} label={label}>
                {items.map(({ id, name, detail, to }) => (
                  <Spotlight.Action
                    key={id}
                    label={name}
                    description={detail}
                    onClick={() => void navigate({ to })}
                  />
                ))}
              </Spotlight.ActionsGroup>
            ))}
          {sought !== '' && found.groups.every(({ items }) => items.length === 0) && (
            <Spotlight.Empty>
              {busy ? t.searching : found.failed ? t.searchFailed : t.nothingFound}
            </Spotlight.Empty>
          )}
        </Spotlight.ActionsList>
      </Spotlight.Root>
    </>
  )
}

type Found = { id: string; name: string; detail: string; to: string }

/** What the API knows by a text, as far as the role of whoever searches allows. */
function useFound(search: string) {
  const t = useTexts(shellTexts)
  const may = useMay()
  const asks = (area: string) => ({ enabled: search !== '' && may(area, 'read') })
  const clients = useQuery({
    ...read('/admin/api/clients', { query: { search, limit } }),
    ...asks('clients'),
  })
  const users = useQuery({ ...read('/admin/api/users', { query: { search, limit } }), ...asks('users') })
  const resources = useQuery({
    ...read('/admin/api/resources', { query: { search, limit } }),
    ...asks('resources'),
  })
  const byId = uuid.test(search)
  const tokens = useQuery({
    ...read('/admin/api/tokens', { query: { jti: search } }),
    enabled: byId && may('tokens', 'read'),
  })
  const groups: { label: string; items: Found[] }[] = [
    { label: t.clients, items: (clients.data?.items ?? []).map(foundClient) },
    { label: t.users, items: (users.data?.items ?? []).map(foundUser) },
    { label: t.resources, items: (resources.data?.items ?? []).map(foundResource) },
    { label: t.tokens, items: byId ? (tokens.data?.items ?? []).map(foundToken) : [] },
  ]
  const all = [clients, users, resources, tokens]
  return {
    groups,
    fetching: all.some(({ isFetching }) => isFetching),
    failed: all.some(({ isError }) => isError),
  }
}

type Item<List extends { items: unknown[] }> = List['items'][number]

function foundClient({ client_id: id, client_name: name }: Item<Answer<'/admin/api/clients'>>): Found {
  return { id, name, detail: id, to: `/clients/${encodeURIComponent(id)}` }
}

function foundUser({ user_id: id, username, email }: Item<Answer<'/admin/api/users'>>): Found {
  return { id, name: username, detail: email ?? id, to: `/users/${id}` }
}

function foundResource({ resource_id: id, name, identifier }: Item<Answer<'/admin/api/resources'>>): Found {
  return { id, name, detail: identifier, to: `/resources/${id}` }
}

function foundToken({ jti, client_id: client, username }: Item<Answer<'/admin/api/tokens'>>): Found {
  return {
    id: jti,
    name: jti,
    detail: `${client}${username ? ` · ${username}` : ''}`,
    to: `/tokens?jti=${jti}`,
  }
}
