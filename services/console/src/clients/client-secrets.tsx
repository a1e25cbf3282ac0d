import type { OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../actions/act.ts'
import { useConfirmation } from '../actions/confirm.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { Panel } from '../parts/panel.tsx'
import { relativeTime } from '../parts/time.ts'
import { useMay } from '../shell/administrator.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { endSecret } from './requests.ts'
import { SecretRotation } from './secret-rotation.tsx'
import { clientTexts } from './texts.ts'

type ClientSecret = OAuthClient['secrets'][number]

/** The secrets of a client, which may overlap for a while. */
export function ClientSecrets({ client }: { client: OAuthClient }) {
  const t = useTexts(clientTexts)
  const may = useMay()
  const [asking, setAsking] = useState(false)
  if (client.token_endpoint_auth_method === 'none') return <Text c="dimmed">{t.publicClient}</Text>
  // A client that proves itself by keys.
  if (client.secrets.length === 0) return null
  return (
    <Panel
      title={t.secrets}
      actions={
        may('clients', 'write') && (
          <Button variant="default" size="xs" onClick={() => setAsking(true)}>
            {t.rotate}
          </Button>
        )
      }
    >
      <Stack>
        {client.secrets.map((secret) => (
          <OneSecret
            key={secret.secret_id}
            clientId={client.client_id}
            secret={secret}
            mayEnd={may('clients', 'write')}
          />
        ))}
      </Stack>
      <SecretRotation clientId={client.client_id} opened={asking} onClose={() => setAsking(false)} />
    </Panel>
  )
}

/** How old a secret is, when it was last used, and when it ends. */
function OneSecret({
  clientId,
  secret: { secret_id: id, created_at: created, last_used_at: used, expires_at: ends },
  mayEnd,
}: {
  clientId: string
  secret: ClientSecret
  mayEnd: boolean
}) {
  const t = useTexts(clientTexts)
  const { language } = useLanguage()
  const { act } = useAct()
  const { ask, dialog } = useConfirmation()
  const lastUse = used
    ? t.endSecretUsed(relativeTime(Date.parse(used), Date.now(), language))
    : t.endSecretUnused
  const end = (secretId: string) =>
    ask({
      title: t.endSecretTitle,
      consequences: t.endSecretEnds(lastUse),
      action: t.endSecret,
      perform: () => act(() => endSecret(clientId, secretId), t.secretEnded),
    })
  return (
    <section aria-label={ends ? t.secretOld : t.secretCurrent}>
      <Group justify="space-between" mb={4}>
        <Title order={3} size="h5">
          {ends ? t.secretOld : t.secretCurrent}
        </Title>
        {ends && id && mayEnd && (
          <Button color="red" variant="light" size="xs" onClick={() => end(id)}>
            {t.endSecret}
          </Button>
        )}
      </Group>
      <Facts
        facts={[
          [t.secretCreated, created && <Moment key="created" at={created} />],
          [t.secretUsed, used ? <Moment key="used" at={used} /> : t.secretUnused],
          [t.secretExpires, ends && <Moment key="ends" at={ends} />],
        ]}
      />
      {dialog}
    </section>
  )
}
