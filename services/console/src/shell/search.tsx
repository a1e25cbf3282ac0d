import { Button, Combobox, Kbd, Modal, Text, TextInput, useCombobox } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useLayoutEffect, useState } from 'react'
import { useFirstOnEnter, useSought } from '../actions/sought.ts'
import { type Answer, read } from '../api.ts'
import { useTexts } from '../texts/language.ts'
import { useMay } from './administrator.tsx'
import classes from './frame.module.css'
import { shellTexts } from './texts.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
/** How many of each kind are shown. */
const limit = 5

/** Searches everything by a part of a name, an address or an id. Ctrl-K opens it. */
export function Search() {
  const t = useTexts(shellTexts)
  const [opened, { open, close }] = useDisclosure()
  useHotkeys([['mod + K', open]], [])
  return (
    <>
      <Button
        variant="default"
        onClick={open}
        rightSection={
          <Kbd size="xs" className={classes.shortcut}>
            Ctrl K
          </Kbd>
        }
        style={{ flexShrink: 0 }}
        aria-keyshortcuts="Control+K"
      >
        {t.search}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={t.search}
        size="lg"
        closeButtonProps={{ 'aria-label': t.close }}
        // It is there at once: what is typed right after Ctrl-K must not be lost.
        transitionProps={{ duration: 0 }}
      >
        <SearchBox onChosen={close} />
      </Modal>
    </>
  )
}

function SearchBox({ onChosen }: { onChosen(): void }) {
  const t = useTexts(shellTexts)
  const [text, setText] = useState('')
  const sought = useSought(text)
  const navigate = useNavigate()
  const found = useFound(sought.text)
  const groups = found.groups.filter(({ items }) => items.length > 0)
  const combobox = useCombobox({ opened: true })
  const first = groups[0]?.items[0]?.to
  // biome-ignore lint/correctness/useExhaustiveDependencies: Enter opens the first of what was found, so it is chosen whenever that changes.
  useLayoutEffect(() => void (first && combobox.selectFirstOption()), [first, sought.text])
  const state = found.fetching || sought.stale ? t.searching : found.failed ? t.searchFailed : t.nothingFound

  function open(to: string): void {
    onChosen()
    void navigate({ to })
  }
  const onKeyDown = useFirstOnEnter(sought, { first, fetching: found.fetching, take: open })
  return (
    // Enter must not take what an earlier text found.
    <Combobox store={combobox} onOptionSubmit={open} readOnly={sought.stale}>
      <Combobox.EventsTarget>
        <TextInput
          data-autofocus
          autoFocus
          type="search"
          placeholder={t.searchHint}
          aria-label={t.searchHint}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </Combobox.EventsTarget>
      <Combobox.Options mt="sm">
        {groups.map(({ label, items }) => (
          <Combobox.Group key={label} label={label}>
            {items.map(({ id, name, detail, to }) => (
              <Combobox.Option key={id} value={to}>
                <Text size="sm" truncate>
                  {name}
                </Text>
                <Text size="xs" truncate>
                  {detail}
                </Text>
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
      </Combobox.Options>
      <Text size="sm" c="dimmed" mt="sm" role="status">
        {sought.text !== '' && groups.length === 0 && state}
      </Text>
    </Combobox>
  )
}

type Found = { id: string; name: string; detail: string; to: string }

/** The matches that the API finds for a text, as far as the role of the logged-in administrator allows. */
function useFound(search: string) {
  const t = useTexts(shellTexts)
  const may = useMay()
  const asks = (area: string) => ({ enabled: search !== '' && may(area, 'read') })
  const clients = useQuery({
    ...read('/admin/api/clients', { query: { search, limit } }),
    ...asks('clients'),
  })
  const users = useQuery({ ...read('/admin/api/users', { query: { search, limit } }), ...asks('users') })
  const groups = useQuery({
    ...read('/admin/api/groups', { query: { search, limit } }),
    ...asks('groups'),
  })
  const organizations = useQuery({
    ...read('/admin/api/organizations', { query: { search, limit } }),
    ...asks('organizations'),
  })
  const connections = useQuery({
    ...read('/admin/api/connections', { query: { search, limit } }),
    ...asks('connections'),
  })
  const resources = useQuery({
    ...read('/admin/api/resources', { query: { search, limit } }),
    ...asks('resources'),
  })
  const byId = uuid.test(search)
  const tokens = useQuery({
    ...read('/admin/api/tokens', { query: { jti: search } }),
    enabled: byId && may('tokens', 'read'),
  })
  const kinds: { label: string; items: Found[] }[] = [
    { label: t.clients, items: (clients.data?.items ?? []).map(foundClient) },
    { label: t.users, items: (users.data?.items ?? []).map(foundUser) },
    { label: t.groups, items: (groups.data?.items ?? []).map(foundGroup) },
    { label: t.organizations, items: (organizations.data?.items ?? []).map(foundOrganization) },
    { label: t.connections, items: (connections.data?.items ?? []).map(foundConnection) },
    { label: t.resources, items: (resources.data?.items ?? []).map(foundResource) },
    { label: t.tokens, items: byId ? (tokens.data?.items ?? []).map(foundToken) : [] },
  ]
  const all = [clients, users, groups, organizations, connections, resources, tokens]
  return {
    groups: kinds,
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

function foundGroup({ group_id: id, name, description }: Item<Answer<'/admin/api/groups'>>): Found {
  return { id, name, detail: description || id, to: `/groups/${id}` }
}

function foundOrganization({
  organization_id: id,
  name,
  slug,
}: Item<Answer<'/admin/api/organizations'>>): Found {
  return { id, name, detail: slug, to: `/organizations/${id}` }
}

function foundConnection({ connection_id: id, name, issuer }: Item<Answer<'/admin/api/connections'>>): Found {
  return { id, name, detail: issuer ?? id, to: `/connections/${id}` }
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
