import type { OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../actions/act.ts'
import { useConfirmation } from '../../actions/confirm.tsx'
import { Panel } from '../../parts/panel.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/language.ts'
import { changeClient } from '../requests.ts'
import { keyTexts } from './key-texts.ts'
import { useKeyDialogs } from './use-key-dialogs.tsx'

/** The form for the address at which the app of a client publishes its keys. It asks first: other keys end. */
export function KeysAddress({
  client: { client_id: id, jwks_uri: current, revision },
}: {
  client: OAuthClient
}) {
  const t = useTexts(keyTexts)
  const common = useTexts(commonTexts)
  const { act } = useAct()
  const { ask, dialog } = useConfirmation()
  const [typed, setTyped] = useState(current ?? '')
  const wanted = typed.trim()
  return (
    <Panel title={t.addressTitle}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const change = { jwks_uri: wanted, ...(current === undefined && { jwks: null }), revision }
          ask({
            title: t.useAddress,
            consequences: current === undefined ? t.useAddressEnds : t.otherAddressEnds,
            action: t.useAddress,
            perform: () => act(() => changeClient(id, change), common.saved),
          })
        }}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            label={t.address}
            description={t.addressText}
            placeholder="https://app.example.com/jwks.json"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            dir="ltr"
            style={{ flex: '1 1 16rem', maxInlineSize: '40rem' }}
          />
          <Button type="submit" disabled={wanted === '' || wanted === current}>
            {t.useAddress}
          </Button>
        </Group>
      </form>
      {dialog}
    </Panel>
  )
}

/**
 * The ways to give keys of its own to a client whose app publishes some: those no longer count then, about which it asks.
 * @returns the buttons, and the dialogs, which belong on the page
 */
export function useOwnKeys({ client_id: id, token_endpoint_auth_method: method, revision }: OAuthClient) {
  const t = useTexts(keyTexts)
  const { act } = useAct()
  const { ask, dialog: question } = useConfirmation()
  const { buttons, dialog } = useKeyDialogs(method, async (keys) => {
    const change = { jwks: { keys: [...keys] }, jwks_uri: null, revision }
    ask({
      title: t.addTitle,
      consequences: t.useOwnEnds,
      action: t.add,
      perform: () => act(() => changeClient(id, change), t.added),
    })
    return true
  })
  const both = (
    <>
      {dialog}
      {question}
    </>
  )
  return { buttons, dialog: both }
}
