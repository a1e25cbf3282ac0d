import { Alert, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { List } from '../list/list.tsx'
import { useAddressState } from '../parts/address.ts'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { RevokeDialog } from './revoke-dialog.tsx'
import { tokenTexts } from './texts.ts'
import { useTokenList } from './token-definition.tsx'

const filterNames = ['client_id', 'user_id', 'jti'] as const

/** All access tokens that have not expired. */
export function TokenList() {
  const t = useTexts(tokenTexts)
  const mayWrite = useMay()('tokens', 'write')
  const { searchParams } = useAddressState()
  const [revoking, setRevoking] = useState(false)
  const list = useTokenList()
  const labels = { client_id: t.clientId, user_id: t.userId, jti: t.jti }
  const chosen = filterNames.filter((name) => searchParams[name])
  // The API takes one filter; with one in use, the others would be refused.
  const offered = chosen.length > 0 ? chosen : filterNames
  return (
    <Page
      title={t.tokens}
      about={t.about}
      actions={
        mayWrite && (
          <Button color="red" variant="light" onClick={() => setRevoking(true)}>
            {t.revokeAny}
          </Button>
        )
      }
    >
      {chosen.length > 1 ? (
        <OneFilter
          choices={chosen.map((name) => ({ name, words: `${labels[name]}: ${searchParams[name]}` }))}
        />
      ) : (
        <List
          list={{
            ...list,
            filters: offered.map((name) => ({ name, label: labels[name], kind: 'text' })),
            empty: <Nothing title={t.none} text={t.noneText} />,
          }}
        />
      )}
      {revoking && <RevokeDialog onClose={() => setRevoking(false)} />}
    </Page>
  )
}

/** Asks which of several filters counts. */
function OneFilter({ choices }: { choices: readonly { name: string; words: string }[] }) {
  const t = useTexts(tokenTexts)
  const { setSearchParams } = useAddressState()
  const keep = (kept: string) =>
    setSearchParams(
      Object.fromEntries(
        ['cursor', ...filterNames].filter((name) => name !== kept).map((name) => [name, undefined]),
      ),
    )
  return (
    <Alert color="yellow" title={t.oneFilter} role="status">
      <Text size="sm" mb="sm">
        {t.oneFilterText}
      </Text>
      <Group gap="xs">
        {choices.map(({ name, words }) => (
          <Button key={name} size="xs" variant="default" onClick={() => keep(name)}>
            {words}
          </Button>
        ))}
      </Group>
    </Alert>
  )
}
