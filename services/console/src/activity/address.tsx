import { Text } from '@mantine/core'
import { PageLink } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'

/** An IP address and where it is, if that is known. It leads to all activity from there. */
export function Address({ address, place }: { address: string; place?: string }) {
  const may = useMay()
  const text = <bdi>{address}</bdi>
  return (
    <>
      {may('activity', 'read') ? (
        <PageLink to="/activity" search={{ ip_address: address } as never} inherit>
          {text}
        </PageLink>
      ) : (
        text
      )}
      {place && (
        <Text size="xs" c="dimmed">
          <bdi>{place}</bdi>
        </Text>
      )}
    </>
  )
}
