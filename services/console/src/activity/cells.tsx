import { Badge, Text, Tooltip } from '@mantine/core'
import { Moment } from '../parts/moment.tsx'
import { RoomyName } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { browserOf } from './browser.ts'
import { loginTexts } from './texts/reason.ts'
import { activityTexts } from './texts/texts.ts'

/** The User-Agent header of Gatehouse's command line. */
const commandLine = 'gatehouse command line'
const onHover = { hover: true, focus: true, touch: true }

/** A time that keeps on one line. */
export function Time({ at }: { at: string }) {
  return (
    <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
      <Moment at={at} />
    </Text>
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
    <Badge color={failure ? 'red' : 'teal'} title={failure}>
      {failure ? (failures[failure] ?? failure) : t.succeeded}
    </Badge>
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
