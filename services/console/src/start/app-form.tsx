import type { AuthorizationServerMetadata } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Failure } from '../parts/failure.tsx'
import { renewAll } from '../queries.ts'
import { useTexts } from '../texts/language.ts'
import { type AppDescription, type CreatedApp, createApp } from './create-app.ts'
import { type KindName, kinds } from './kinds.ts'
import { startTexts } from './texts.ts'

/** Asks what is needed to create an app of a kind. */
export function AppForm({
  kind,
  server,
  onCreated,
  onBack,
}: {
  kind: KindName
  server: AuthorizationServerMetadata
  onCreated(app: CreatedApp): void
  onBack(): void
}) {
  const t = useTexts(startTexts)
  const { redirectUri, resource } = kinds[kind]
  const [app, setApp] = useState<AppDescription>({
    name: '',
    redirectUri: redirectUri ?? '',
    identifier: resource ? 'https://api.example.com' : '',
    scope: resource?.scope ?? server.scopes_supported[0] ?? 'read',
    scopeWords: '',
  })
  const [failure, setFailure] = useState<unknown>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    try {
      onCreated(await createApp(kind, app, server))
      await renewAll()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  const field = (name: keyof AppDescription) => ({
    required: true,
    value: app[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      setApp({ ...app, [name]: currentTarget.value }),
  })

  return (
    <form onSubmit={submit}>
      <Stack maw={640}>
        <TextInput label={t.appName} description={t.appNameText} data-autofocus {...field('name')} />
        {redirectUri !== undefined && (
          <TextInput label={t.redirectUri} description={t.redirectUriText} {...field('redirectUri')} />
        )}
        {resource && (
          <TextInput label={t.identifier} description={t.identifierText} {...field('identifier')} />
        )}
        <TextInput label={t.scope} description={t.scopeText} {...field('scope')} />
        {resource && (
          <TextInput label={t.scopeWords} description={t.scopeWordsText} {...field('scopeWords')} />
        )}
        {failure !== undefined && <Failure error={failure} />}
        <Group>
          <Button type="submit" loading={busy}>
            {t.create}
          </Button>
          <Button variant="subtle" onClick={onBack} disabled={busy}>
            {t.another}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
