import type { OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, Modal, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { useNotices } from '../parts/notice.tsx'
import { Secret } from '../parts/secret.tsx'
import { renewAll } from '../queries.ts'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { rotateSecret } from './requests.ts'
import { clientTexts } from './texts.ts'

/** The secrets of a client, which may overlap for a while. */
export function ClientSecrets({ client }: { client: OAuthClient }) {
  const t = useTexts(clientTexts)
  const may = useMay()
  const [asking, setAsking] = useState(false)
  const [secret, setSecret] = useState<string>()
  if (client.token_endpoint_auth_method === 'none') return <Text c="dimmed">{t.publicClient}</Text>
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {t.secrets}
        </Title>
        {may('clients', 'write') && (
          <Button variant="default" size="xs" onClick={() => setAsking(true)}>
            {t.rotate}
          </Button>
        )}
      </Group>
      <Stack>
        {secret && <Secret title={t.secretTitle} text={t.secretText} secret={secret} />}
        <Facts
          facts={client.secrets.map(({ expires_at: ends }) => [
            ends ? t.secretOld : t.secretCurrent,
            ends ? (
              <>
                {t.secretEnds} <Moment at={ends} />
              </>
            ) : (
              '••••••••'
            ),
          ])}
        />
      </Stack>
      <Rotation
        clientId={client.client_id}
        opened={asking}
        onClose={() => setAsking(false)}
        onSecret={setSecret}
      />
    </Paper>
  )
}

function Rotation({
  clientId,
  opened,
  onClose,
  onSecret,
}: {
  clientId: string
  opened: boolean
  onClose(): void
  onSecret(secret: string | undefined): void
}) {
  const t = useTexts(clientTexts)
  const common = useTexts(commonTexts)
  const { failed } = useNotices()
  const [overlap, setOverlap] = useState('86400')
  const [busy, setBusy] = useState(false)
  async function rotate() {
    setBusy(true)
    try {
      onSecret((await rotateSecret(clientId, Number(overlap))).client_secret)
      onClose()
      void renewAll()
    } catch (error) {
      failed(error)
    }
    setBusy(false)
  }
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t.rotateTitle}
      centered
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <NativeSelect
        label={t.overlap}
        value={overlap}
        onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
        data={Object.entries(t.overlaps).map(([value, label]) => ({ value, label }))}
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button onClick={() => void rotate()} loading={busy}>
          {t.rotate}
        </Button>
      </Group>
    </Modal>
  )
}
