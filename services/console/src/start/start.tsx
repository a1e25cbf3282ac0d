import { Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api.ts'
import { useAddressState } from '../parts/address.ts'
import { FailedPage } from '../parts/failed-page.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { AppForm } from './app-form.tsx'
import type { CreatedApp } from './create-app.ts'
import { Created } from './created.tsx'
import { type KindName, kindNames, kinds } from './kinds.ts'
import classes from './start.module.css'
import { startTexts } from './texts.ts'

/** Leads from "what is it" to code that works. */
export function Start() {
  const t = useTexts(startTexts)
  const { searchParams, setSearchParams } = useAddressState()
  const { language } = useLanguage()
  const may = useMay()
  const [created, setCreated] = useState<CreatedApp>()
  const server = useQuery({
    ...read('/.well-known/oauth-authorization-server'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const status = useQuery(read('/admin/api/status'))
  const failed = [server, status].find(({ data, isError }) => isError && data === undefined)
  if (failed) return <FailedPage error={failed.error} retry={failed.refetch} />
  if (server.data === undefined || status.data === undefined) return null
  const installation = { server: server.data, status: status.data }
  const kind = kindNames.find((name) => name === searchParams.kind)
  // Going on to another kind, or back to the choice, begins anew.
  const app = created?.kind === kind ? created : undefined
  if (app !== undefined)
    return (
      <Page title={t.ready(app.name)}>
        <Created app={app} installation={installation} />
      </Page>
    )
  if (kind !== undefined)
    return (
      <Page title={t.kinds[kind].name} about={t.kinds[kind].text}>
        <AppForm
          kind={kind}
          installation={installation}
          onCreated={setCreated}
          onBack={() => setSearchParams({ kind: undefined })}
        />
      </Page>
    )

  const list = new Intl.ListFormat(language)
  const obstacle = (name: KindName) => {
    const variables = kinds[name].needs(installation)
    if (variables.length > 0) return t.off(list.format(variables))
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
            onClick={() => setSearchParams({ kind: name })}
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
