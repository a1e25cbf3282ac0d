import { Badge, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Column, ItemOf } from '../list/definition.ts'
import { ClientName } from '../names/client-name.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { Actor } from './actor.tsx'
import { Address } from './address.tsx'
import { Browser, Outcome, Time, UserName } from './cells.tsx'
import { EntryChanges } from './entry-changes.tsx'
import { TargetLink } from './target.tsx'
import { actionTexts } from './texts/action.ts'
import { everythingTexts } from './texts/everything.ts'
import { clientFailureTexts, loginTexts } from './texts/reason.ts'
import { activityTexts } from './texts/texts.ts'

type Activity = ItemOf<'/admin/api/activity'>

/** The columns of the list of all activity. */
export function useActivityColumns(): readonly Column<Activity>[] {
  const t = useTexts(activityTexts)
  const own = useTexts(everythingTexts)
  return [
    { name: 'time', label: t.time, cell: ({ time }) => <Time at={time} /> },
    { name: 'kind', label: own.kind, hidden: true, cell: ({ kind }) => own.kinds[kind] },
    { name: 'what', label: own.what, text: whatIn, cell: (item) => <What item={item} /> },
    { name: 'who', label: t.who, text: whoIn, cell: (item) => <Who item={item} /> },
    {
      name: 'about',
      label: own.about,
      text: (item) => (item.kind === 'action' ? item.target : item.client_id),
      cell: (item) => <ClientOrTarget item={item} />,
    },
    {
      name: 'ip_address',
      label: t.ipAddress,
      text: addressOf,
      cell: (item) => {
        const place = item.kind === 'login' ? item.place : undefined
        const address = addressOf(item)
        return address ? <Address address={address} place={place} /> : t.severalAddresses
      },
    },
    {
      name: 'details',
      label: own.details,
      text: (item) =>
        item.kind === 'login'
          ? item.user_agent
          : item.kind === 'action'
            ? { before: item.before, after: item.after }
            : item.count,
      cell: (item) => <Details item={item} />,
    },
  ]
}

function whoIn(item: Activity): string | undefined {
  if (item.kind === 'login') return item.user?.username
  return item.kind === 'action' ? item.actor.name || item.actor.id : item.client_id
}

function whatIn(item: Activity): string {
  if (item.kind === 'login') return item.failure ?? item.outcome
  return item.kind === 'action' ? item.action : item.reason
}

function addressOf(item: Activity): string | undefined {
  return item.kind === 'action' ? item.actor.ip_address : item.ip_address
}

function Who({ item }: { item: Activity }) {
  if (item.kind === 'login') return <UserName user={item.user} />
  return item.kind === 'action' ? <Actor actor={item.actor} /> : <ClientName id={item.client_id} />
}

function What({ item }: { item: Activity }) {
  const { kinds } = useTexts(everythingTexts)
  const { methods } = useTexts(loginTexts)
  const { reasons, endpoints } = useTexts(clientFailureTexts)
  const known: Readonly<Record<string, string>> = reasons
  const actions = useTexts(actionTexts)
  if (item.kind === 'login')
    return (
      <WithCaption caption={`${kinds.login} · ${methods[item.method] ?? item.method}`}>
        <Outcome failure={item.failure} />
      </WithCaption>
    )
  if (item.kind === 'action')
    return (
      <WithCaption caption={kinds.action}>
        <Text size="sm" title={item.action}>
          {actions[item.action] ?? item.action}
        </Text>
      </WithCaption>
    )
  return (
    <WithCaption caption={`${kinds[item.kind]} · ${endpoints[item.endpoint] ?? item.endpoint}`}>
      <Badge color="red" title={item.reason}>
        {known[item.reason] ?? item.reason}
      </Badge>
    </WithCaption>
  )
}

/** The words for an event, above its kind. */
function WithCaption({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    <>
      {children}
      <Text size="xs" c="dimmed">
        {caption}
      </Text>
    </>
  )
}

function ClientOrTarget({ item }: { item: Activity }) {
  if (item.kind === 'action') return <TargetLink entry={item} />
  return item.kind === 'login' && item.client_id ? <ClientName id={item.client_id} /> : '–'
}

function Details({ item }: { item: Activity }) {
  const { times } = useTexts(everythingTexts)
  const { language } = useLanguage()
  if (item.kind === 'login') return <Browser userAgent={item.user_agent} />
  if (item.kind === 'action') return <EntryChanges entry={item} />
  return item.count > 1 ? times(item.count.toLocaleString(language)) : ''
}
