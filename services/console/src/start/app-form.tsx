import { Alert, Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Failure } from '../parts/failure.tsx'
import { renewAll } from '../queries.ts'
import { useTexts } from '../texts/language.ts'
import { type CreatedApp, createApp } from './create-app.ts'
import {
  type AppDescription,
  firstDescription,
  getsIdTokens,
  type Installation,
  type KindName,
  kinds,
  refusedOrigin,
} from './kinds.ts'
import { startTexts } from './texts.ts'

/** Asks what is needed to create an app of a kind. */
export function AppForm({
  kind,
  installation,
  onCreated,
  onBack,
}: {
  kind: KindName
  installation: Installation
  onCreated(app: CreatedApp): void
  onBack(): void
}) {
  const t = useTexts(startTexts)
  const { redirectUri, resource } = kinds[kind]
  const { server } = installation
  const [app, setApp] = useState(() => firstDescription(kind, server))
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
  const field = (name: Exclude<keyof AppDescription, 'idTokenClaims'>) => ({
    required: true,
    value: app[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      setApp({ ...app, [name]: currentTarget.value }),
  })

  const origin = refusedOrigin(kind, app.redirectUri, installation)
  return (
    <form onSubmit={submit}>
      <Stack maw={640}>
        <TextInput
          label={t.appName}
          description={kinds[kind].redirectUri === undefined ? t.serviceNameText : t.appNameText}
          data-autofocus
          {...field('name')}
        />
        {redirectUri !== undefined && (
          <TextInput label={t.redirectUri} description={t.redirectUriText} {...field('redirectUri')} />
        )}
        {resource && (
          <TextInput
            label={t.identifier}
            description={t.identifierText}
            placeholder="https://api.example.com"
            {...field('identifier')}
          />
        )}
        <TextInput
          label={resource ? t.scope : t.scopes}
          description={resource ? t.scopeText : t.scopesText}
          {...field('scope')}
        />
        {resource && (
          <TextInput label={t.scopeWords} description={t.scopeWordsText} {...field('scopeWords')} />
        )}
        {getsIdTokens(kind, server) && (
          <Checkbox
            label={t.idTokenClaims}
            description={t.idTokenClaimsText}
            checked={app.idTokenClaims}
            onChange={({ currentTarget }) => setApp({ ...app, idTokenClaims: currentTarget.checked })}
          />
        )}
        {origin !== undefined && <OriginNotice origin={origin} />}
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

/** Says that the server does not let pages of an origin call it yet. */
export function OriginNotice({ origin }: { origin: string }) {
  const t = useTexts(startTexts)
  return (
    <Alert color="yellow" role="status">
      {t.originRefused(origin)}
    </Alert>
  )
}
