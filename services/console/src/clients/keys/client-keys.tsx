import type { ClientKey, OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useAct } from '../../actions/act.ts'
import { useConfirmation } from '../../actions/confirm.tsx'
import { read } from '../../api.ts'
import { CopyableCode } from '../../parts/copy.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RowButton, SmallTable } from '../../parts/table/small-table.tsx'
import { relativeTime } from '../../parts/time.ts'
import { useMay } from '../../shell/administrator.tsx'
import { useLanguage, useTexts } from '../../texts/language.ts'
import { addKey, atClient, removeKey } from '../requests.ts'
import { keyTexts } from './key-texts.ts'
import { KeysAddress, useOwnKeys } from './keys-address.tsx'
import type { AddKeys } from './make-key.tsx'
import { useKeyDialogs } from './use-key-dialogs.tsx'

/** The keys with which a client signs, and the ways to give it others. */
export function ClientKeys({ client }: { client: OAuthClient }) {
  const t = useTexts(keyTexts)
  const mayWrite = useMay()('clients', 'write') && !client.metadata_document
  return (
    <Stack>
      {client.metadata_document && <Text size="sm">{t.document}</Text>}
      {client.jwks_uri === undefined ? (
        <StoredKeys client={client} mayWrite={mayWrite} />
      ) : (
        <PublishedKeys client={client} mayWrite={mayWrite} />
      )}
      {mayWrite && <KeysAddress key={client.jwks_uri} client={client} />}
    </Stack>
  )
}

function StoredKeys({ client, mayWrite }: { client: OAuthClient; mayWrite: boolean }) {
  const t = useTexts(keyTexts)
  const { act } = useAct()
  const add: AddKeys = (keys) =>
    act(async () => {
      for (const key of keys) await addKey(client.client_id, key)
    }, t.added)
  const { token_endpoint_auth_method: method } = client
  const { buttons, dialog } = useKeyDialogs(method, add)
  return (
    <Panel title={t.publicKeys} actions={mayWrite && <Group gap="xs">{buttons}</Group>}>
      <Text size="sm" mb="sm">
        {method === 'private_key_jwt' ? t.about : t.certificates}
      </Text>
      <KeyTable clientId={client.client_id} mayRemove={mayWrite} />
      {dialog}
    </Panel>
  )
}

function PublishedKeys({ client, mayWrite }: { client: OAuthClient; mayWrite: boolean }) {
  const t = useTexts(keyTexts)
  const { buttons, dialog } = useOwnKeys(client)
  return (
    <Panel title={t.publicKeys} actions={mayWrite && <Group gap="xs">{buttons}</Group>}>
      <Stack gap="sm">
        <Text size="sm">{t.published}</Text>
        <CopyableCode value={client.jwks_uri ?? ''} label={t.address} />
        <KeyTable clientId={client.client_id} mayRemove={false} />
      </Stack>
      {dialog}
    </Panel>
  )
}

function KeyTable({ clientId, mayRemove }: { clientId: string; mayRemove: boolean }) {
  const t = useTexts(keyTexts)
  const { language } = useLanguage()
  const { act } = useAct()
  const { ask, dialog } = useConfirmation()
  const query = useQuery(read('/admin/api/clients/{client_id}/keys', atClient(clientId).params))
  const keys = query.data?.items
  if (keys === undefined) return <Loading query={query} />
  const remove = ({ thumbprint, last_used_at: used }: ClientKey) =>
    ask({
      title: t.removeTitle,
      consequences: t.removeEnds(
        used ? t.usedAt(relativeTime(Date.parse(used), Date.now(), language)) : t.unused,
      ),
      action: t.remove,
      perform: () => act(() => removeKey(clientId, thumbprint), t.removed),
    })
  return (
    <>
      {keys.length > 0 && (
        <SmallTable
          label={t.publicKeys}
          rows={keys}
          idOf={({ thumbprint }) => thumbprint}
          columns={[
            [t.thumbprint, ({ thumbprint }) => <CopyableCode value={thumbprint} label={t.thumbprint} />],
            // Often it is the thumbprint, which stands beside it.
            [t.kid, ({ kid, thumbprint }) => (kid === thumbprint ? '' : <bdi>{kid}</bdi>)],
            [t.type, typeOf],
            [t.lastUsed, ({ last_used_at: used }) => <Moment at={used} />],
          ]}
          action={
            mayRemove && keys.length > 1
              ? (key) => (
                  <RowButton
                    label={t.remove}
                    name={`${t.remove}: ${key.kid ?? key.thumbprint}`}
                    onClick={() => remove(key)}
                  />
                )
              : undefined
          }
        />
      )}
      {mayRemove && keys.length === 1 && (
        <Text size="sm" c="dimmed" mt="xs">
          {t.lastKey}
        </Text>
      )}
      {dialog}
    </>
  )
}

function typeOf({ kty, algorithms = [] }: ClientKey): string {
  return kty === undefined ? '' : `${kty}: ${algorithms.join(', ')}`
}
