import { Button, Paper, Text } from '@mantine/core'
import { useTexts } from '../texts/language.ts'
import type { SnippetValues } from './snippets/values.ts'
import { startTexts } from './texts.ts'

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

/** The address at which a login for a client begins, with a code challenge (RFC 7636) that is used only to show the login. */
async function loginAddress({ authorizationEndpoint, clientId, redirectUri, scope }: SnippetValues) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(random()))
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: random(),
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  })
  return `${authorizationEndpoint}?${parameters}`
}

/** Opens the login of a new app. */
export function TryLogin({ values }: { values: SnippetValues }) {
  const t = useTexts(startTexts)
  async function open() {
    // Before anything is awaited: browsers open windows only for a click.
    const tab = window.open('about:blank', '_blank')
    const address = await loginAddress(values)
    if (tab === null) return
    // The app at the redirect URI must not reach this page, which shows a secret.
    tab.opener = null
    tab.location.href = address
  }
  return (
    <Paper withBorder p="md">
      <Text size="sm" mb="sm">
        {t.tryLoginText}
      </Text>
      <Button variant="light" onClick={() => void open()}>
        {t.tryLogin}
      </Button>
    </Paper>
  )
}
