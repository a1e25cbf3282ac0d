import { Group, Text } from '@mantine/core'
import { useClientName } from '../names/client-name.tsx'
import { useUserName } from '../names/user-by-id.tsx'
import { useAddressState } from '../parts/address.ts'
import { PageLink } from '../parts/named.tsx'
import { useTexts } from '../texts/language.ts'
import { everythingTexts } from './texts/everything.ts'
import { loginTexts } from './texts/login.ts'

/** Says whose activity the list shows. That of a user leads to the answer to why they cannot log in. */
export function About() {
  const t = useTexts(everythingTexts)
  const { searchParams } = useAddressState()
  if (searchParams.user_id) return <OfUser id={searchParams.user_id} />
  if (searchParams.client_id) return <OfClient id={searchParams.client_id} />
  return <Text size="sm">{t.text}</Text>
}

function OfUser({ id }: { id: string }) {
  const t = useTexts(everythingTexts)
  const { headings } = useTexts(loginTexts)
  const { name = id, to } = useUserName(id)
  return (
    <Group gap="xs">
      <Text size="sm">{t.ofUser(name)}</Text>
      {to && (
        <PageLink to={to} size="sm">
          {headings.hindered(name)}
        </PageLink>
      )}
    </Group>
  )
}

function OfClient({ id }: { id: string }) {
  const t = useTexts(everythingTexts)
  const { name = id, to } = useClientName(id)
  return (
    <Group gap="xs">
      <Text size="sm">{t.ofClient(name)}</Text>
      {to && (
        <PageLink to={to} size="sm">
          {t.toClient}
        </PageLink>
      )}
    </Group>
  )
}
