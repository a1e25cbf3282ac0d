import { Badge, Text, Tooltip } from '@mantine/core'
import { useAddressState } from '../list/address.ts'
import { Moment } from '../parts/moment.tsx'
import { Named, PageLink } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { browserOf } from './browser.ts'
import { useClientName } from './client-names.ts'
import { loginTexts } from './reason-texts.ts'
import { activityTexts } from './texts.ts'

/** The User-Agent header of Gatehouse's command line. */
const commandLine = 'gatehouse command line'
const onHover = { hover: true, focus: true, touch: true }

/** A name that a narrow table does not break after each few letters. */
export function RoomyName(named: Parameters<typeof Named>[0]) {
  return (
    <div style={{ minInlineSize: '8rem' }}>
      <Named {...named} />
    </div>
  )
}

/** A time that keeps on one line. */
export function Time({ at }: { at: string }) {
  return (
    <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
      <Moment at={at} />
    </Text>
  )
}

/** A client by its name, with a link to its page. */
export function ClientName({ id }: { id: string }) {
  const may = useMay()
  const name = useClientName(id) ?? id
  return (
    <RoomyName
      name={name}
      id={id}
      to={may('clients', 'read') ? `/clients/${encodeURIComponent(id)}` : undefined}
    />
  )
}

/** A user, with a link to their page; nobody has the name that was typed when there is none. */
export function UserName({ user }: { user: { id: string; username: string } | undefined }) {
  const t = useTexts(activityTexts)
  const may = useMay()
  if (user === undefined)
    return (
      <Text size="sm" c="dimmed">
        {t.unknownUser}
      </Text>
    )
  const to = may('users', 'read') ? `/users/${encodeURIComponent(user.id)}` : undefined
  return <RoomyName name={user.username} id={user.id} to={to} />
}

/** Whether a login succeeded, or why not. */
export function Outcome({ failure }: { failure: string | undefined }) {
  const t = useTexts(activityTexts)
  const { failures } = useTexts(loginTexts)
  return (
    <Badge miw="max-content" variant="light" color={failure ? 'red' : 'teal'} tt="none" title={failure}>
      {failure ? (failures[failure] ?? failure) : t.succeeded}
    </Badge>
  )
}

/** An address, which leads to everything from there. */
export function AddressLink({ address, place }: { address: string; place?: string }) {
  const { said } = useAddressState()
  const search = { ...(said.tab && { tab: said.tab }), ip_address: address }
  return (
    <>
      <PageLink to="/activity" search={search as never} inherit>
        <bdi>{address}</bdi>
      </PageLink>
      {place && (
        <Text size="xs" c="dimmed">
          <bdi>{place}</bdi>
        </Text>
      )}
    </>
  )
}

/** A browser in short; its exact header shows on hover and on focus. */
export function Browser({ userAgent }: { userAgent: string }) {
  const t = useTexts(activityTexts)
  if (userAgent === '') return '–'
  const { name, device } = browserOf(userAgent)
  const known = name && device ? t.onDevice(name, device) : name || (device && t.programOn(device))
  const short = userAgent === commandLine ? t.commandLine : known || t.unknownProgram
  return (
    <Tooltip label={userAgent} multiline maw={400} events={onHover}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people with a keyboard must be able to read the tooltip. */}
      <span tabIndex={0}>{short}</span>
    </Tooltip>
  )
}
