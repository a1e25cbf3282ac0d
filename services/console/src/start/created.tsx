import type { AuthorizationServerMetadata } from '@gatehouse/admin-api/generated/openapi'
import { Group, Paper, Stack, Tabs, Title } from '@mantine/core'
import { ButtonLink } from '../parts/button-link.tsx'
import { Copy, CopyableCode } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Scrollable } from '../parts/scrollable.tsx'
import { Secret } from '../parts/secret.tsx'
import { useTexts } from '../texts/language.ts'
import type { CreatedApp } from './create-app.ts'
import { type SnippetValues, snippets } from './snippets.ts'
import classes from './start.module.css'
import { startTexts } from './texts.ts'
import { TryLogin } from './try-login.tsx'
import { TryToken } from './try-token.tsx'

/** An app that was just created: its secret, code to copy, and a first try. */
export function Created({ app, server }: { app: CreatedApp; server: AuthorizationServerMetadata }) {
  const t = useTexts(startTexts)
  const { client, resource, kind } = app
  const values = valuesOf(app, server)
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
            [t.scope, values.scope],
          ]}
        />
      </Paper>
      {kind === 'machine' && <TryToken values={values} />}
      {values.redirectUri !== '' && <TryLogin values={values} />}
      <section>
        <Title order={2} size="h4" mb="sm">
          {t.code}
        </Title>
        <Tabs defaultValue={snippets[kind][0]?.name} keepMounted={false}>
          <Tabs.List mb="sm">
            {snippets[kind].map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {snippets[kind].map(({ name, code }) => (
            <Tabs.Panel key={name} value={name}>
              <Group justify="flex-end">
                <Copy value={code(values)} label={t.codeOf(name)} />
              </Group>
              <Scrollable label={t.codeOf(name)}>
                <pre className={classes.code}>
                  <code>{code(values)}</code>
                </pre>
              </Scrollable>
            </Tabs.Panel>
          ))}
        </Tabs>
      </section>
      <Group>
        <ButtonLink to={page} variant="default">
          {t.details}
        </ButtonLink>
      </Group>
    </Stack>
  )
}

function valuesOf({ client, resource }: CreatedApp, server: AuthorizationServerMetadata): SnippetValues {
  return {
    issuer: server.issuer,
    authorizationEndpoint: server.authorization_endpoint,
    tokenEndpoint: server.token_endpoint,
    introspectionEndpoint: server.introspection_endpoint,
    clientId: client.client_id,
    clientSecret: client.client_secret ?? '',
    scope: resource ? resource.scopes.map(({ scope }) => scope).join(' ') : client.scope,
    redirectUri: client.redirect_uris[0] ?? '',
    identifier: resource?.identifier ?? '',
  }
}
