import { Button, Paper, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, dataOf } from '../api.ts'
import { CopyableCode } from '../parts/copy.tsx'
import { useErrorWords } from '../parts/failure.tsx'
import { useTexts } from '../texts/language.ts'
import type { SnippetValues } from './snippets/values.ts'
import { startTexts } from './texts.ts'

/** Asks for a first token as a new client. */
export function TryToken({ values: { clientId, clientSecret, scope } }: { values: SnippetValues }) {
  const t = useTexts(startTexts)
  const wordsOf = useErrorWords()
  const ask = useMutation({
    // The token is kept no longer than it is shown.
    gcTime: 0,
    mutationFn: () =>
      dataOf(
        api.POST('/oauth/token', {
          body: { grant_type: 'client_credentials', scope, client_id: clientId, client_secret: clientSecret },
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      ),
  })
  return (
    <Paper withBorder p="md">
      <Text size="sm" mb="sm">
        {t.tryTokenText}
      </Text>
      <Button variant="light" onClick={() => ask.mutate()} loading={ask.isPending}>
        {t.tryToken}
      </Button>
      <Text mt="sm" role="status">
        {ask.data && t.gotToken(ask.data.expires_in)}
        {ask.isError && `${t.noToken} ${wordsOf(ask.error).text}`}
      </Text>
      {ask.data && <CopyableCode value={ask.data.access_token} label={t.accessToken} />}
    </Paper>
  )
}
