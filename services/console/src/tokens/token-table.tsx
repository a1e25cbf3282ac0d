import { Stack, Title } from '@mantine/core'
import { List } from '../list/list.tsx'
import { useTexts } from '../texts/language.ts'
import { tokenTexts } from './texts.ts'
import { useTokenList } from './token-definition.tsx'

/** The access tokens of one client or of one user that have not expired. */
export function TokenTable({ of }: { of: { client_id: string } | { user_id: string } }) {
  const t = useTexts(tokenTexts)
  const { columns, ...list } = useTokenList()
  const same = Object.keys(of)
  return (
    <Stack>
      <List
        list={{
          ...list,
          params: { query: of },
          // The page says already whose tokens they are.
          columns: columns.filter(({ name }) => !same.includes(name)),
          empty: (
            <Title order={2} size="h4">
              {t.none}
            </Title>
          ),
        }}
      />
    </Stack>
  )
}
