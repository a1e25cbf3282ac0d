import { Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api.ts'
import { useAddressState } from '../list/address.ts'
import { FailedPage } from '../parts/failed-page.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { AppForm } from './app-form.tsx'
import type { CreatedApp } from './create-app.ts'
import { Created } from './created.tsx'
import { type KindName, kindNames, kinds } from './kinds.ts'
import classes from './start.module.css'
import { startTexts } from './texts.ts'

/** Leads from "what is it" to code that works. */
export function Start() {
  const t = useTexts(startTexts)
  const { said, say } = useAddressState()
  const may = useMay()
  const [created, setCreated] = useState<CreatedApp>()
  const server = useQuery({
    ...read('/.well-known/oauth-authorization-server'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (server.isError) return <FailedPage error={server.error} retry={server.refetch} />
  if (server.data === undefined) return null
  const kind = kindNames.find((name) => name === said.kind)
  // Whoever goes on to another kind, or back to the choice, begins anew.
  const app = created?.kind === kind ? created : undefined
  if (app !== undefined)
    return (
      <Page title={t.ready(app.name)}>
        <Created app={app} server={server.data} />
      </Page>
    )
  if (kind !== undefined)
    return (
      <Page title={t.kinds[kind].name} about={t.kinds[kind].text}>
        <AppForm
          kind={kind}
          server={server.data}
          onCreated={setCreated}
          onBack={() => say({ kind: undefined })}
        />
      </Page>
    )

  const obstacle = (name: KindName) => {
    const variable = kinds[name].needs(server.data)
    if (variable !== undefined) return t.off(variable)
    return kinds[name].resource && !may('resources', 'write') ? t.notAllowed : undefined
  }
  return (
    <Page title={t.title} about={t.about}>
      <div className={classes.kinds}>
        {kindNames.map((name) => (
          <UnstyledButton
            key={name}
            className={classes.kind}
            disabled={obstacle(name) !== undefined}
            onClick={() => say({ kind: name })}
          >
            <Text fw={600}>{t.kinds[name].name}</Text>
            <Text size="sm" c="dimmed">
              {t.kinds[name].text}
            </Text>
            {obstacle(name) && (
              <Text size="xs" mt="xs" className={classes.obstacle}>
                {obstacle(name)}
              </Text>
            )}
          </UnstyledButton>
        ))}
      </div>
    </Page>
  )
}
