import { Group, Paper, Stack, Tabs, Title } from '@mantine/core'
import { ButtonLink } from '../parts/button-link.tsx'
import { Copy, CopyableCode } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Secret } from '../parts/secret.tsx'
import { Scrollable } from '../parts/table/scrollable.tsx'
import { useTexts } from '../texts/language.ts'
import { OriginNotice } from './app-form.tsx'
import type { CreatedApp } from './create-app.ts'
import { type Installation, refusedOrigin } from './kinds.ts'
import { snippetsFor } from './snippets/table.ts'
import { valuesOf } from './snippets/values.ts'
import classes from './start.module.css'
import { startTexts } from './texts.ts'
import { TryLogin } from './try-login.tsx'
import { TryToken } from './try-token.tsx'

/** An app that was just created: its secret, code to copy, and a first try. */
export function Created({ app, installation }: { app: CreatedApp; installation: Installation }) {
  const t = useTexts(startTexts)
  const { client, resource, kind } = app
  const values = valuesOf(app, installation.server)
  const snippets = snippetsFor(kind, values)
  const origin = refusedOrigin(kind, values.redirectUri, installation)
  const page = resource
    ? `/resources/${resource.resource_id}`
    : `/clients/${encodeURIComponent(client.client_id)}`
  return (
    <Stack gap="lg">
      {client.client_secret && (
        <Secret title={t.secretTitle} text={t.secretText} secret={client.client_secret} />
      )}
      <Paper withBorder p="md">
        <Facts
          facts={[
            [t.clientId, <CopyableCode key="id" value={client.client_id} label={t.clientId} />],
            [
              t.identifier,
              resource && <CopyableCode key="identifier" value={resource.identifier} label={t.identifier} />,
            ],
            [t.redirectUri, client.redirect_uris.join(' ')],
            [resource ? t.scope : t.scopes, values.scope],
          ]}
        />
      </Paper>
      {kind === 'machine' && <TryToken values={values} />}
      {values.redirectUri !== '' && <TryLogin values={values} />}
      {origin !== undefined && <OriginNotice origin={origin} />}
      <section>
        <Title order={2} size="h4" mb="sm">
          {t.code}
        </Title>
        <Tabs defaultValue={snippets[0]?.name} keepMounted={false}>
          <Tabs.List mb="sm">
            {snippets.map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {snippets.map(({ name, code }) => (
            <Tabs.Panel key={name} value={name}>
              <Group justify="flex-end">
                <Copy value={code} label={t.codeOf(name)} />
              </Group>
              <Scrollable label={t.codeOf(name)}>
                <pre className={classes.code}>
                  <code>{code}</code>
                </pre>
              </Scrollable>
            </Tabs.Panel>
          ))}
        </Tabs>
      </section>
      <Group>
        <ButtonLink to={page} variant="default">
          {resource ? t.openResource : t.openClient}
        </ButtonLink>
      </Group>
    </Stack>
  )
}
