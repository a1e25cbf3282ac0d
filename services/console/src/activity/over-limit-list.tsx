import type { RateLimits } from '@gatehouse/admin-api/generated/openapi'
import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { ClientName } from '../names/client-name.tsx'
import { LoadedPage } from '../parts/loaded-page.tsx'
import { Moment } from '../parts/moment.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Scrollable } from '../parts/table/scrollable.tsx'
import { useRefetchInterval } from '../shell/session-state.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { Address } from './address.tsx'
import { limitTexts } from './texts/limit.ts'

/** How often it is read who is over a limit, in milliseconds. */
const renewal = 3_000

/** The callers that are over a rate limit now. */
export function OverLimitList() {
  const refetchInterval = useRefetchInterval(renewal)
  const query = useQuery({ ...read('/admin/api/rate-limits'), refetchInterval })
  return <LoadedPage query={query}>{(limits) => <OverLimits limits={limits} />}</LoadedPage>
}

function OverLimits({ limits }: { limits: RateLimits }) {
  const t = useTexts(limitTexts)
  if (!limits.enabled) return <Nothing title={t.off} text={t.offText} />
  return (
    <Stack>
      <Text size="sm">
        {t.text} {limits.shared ? '' : t.alone}
      </Text>
      {limits.items.length === 0 ? (
        <Nothing title={t.nobody} text={t.nobodyText} />
      ) : (
        <Scrollable label={t.limits}>
          <OverLimitTable limits={limits} />
        </Scrollable>
      )}
    </Stack>
  )
}

function OverLimitTable({ limits: { limits, items } }: { limits: RateLimits }) {
  const t = useTexts(limitTexts)
  const { language } = useLanguage()
  const count = (number: number) => number.toLocaleString(language)
  const allowed = Object.fromEntries(limits.map(({ name, per_minute: most }) => [name, most]))
  const names: Readonly<Record<string, string>> = t.names
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          {[t.limit, t.perMinute, t.client, t.ipAddress, t.refused, t.until].map((heading) => (
            <Table.Th key={heading}>{heading}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map(({ limit, client_id: client, ip_address: address, place, refused, until }) => (
          <Table.Tr key={`${limit} ${client ?? address}`}>
            <Table.Td>{names[limit] ?? limit}</Table.Td>
            <Table.Td>{count(allowed[limit] ?? 0)}</Table.Td>
            <Table.Td>{client ? <ClientName id={client} /> : '–'}</Table.Td>
            <Table.Td>
              <Address address={address} place={place} />
            </Table.Td>
            <Table.Td>{count(refused)}</Table.Td>
            <Table.Td>
              <Moment at={until} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
