import type { ResourceServer, User } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Badge, Button, Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Answer, read } from '../api.ts'
import { type Choice, useFound } from '../groups/found.tsx'
import { SwitchedOff } from '../groups/switched-off.tsx'
import { useClientName } from '../names/client-name.tsx'
import { useAddressState } from '../parts/address.ts'
import { Copy } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Loading } from '../parts/loading.tsx'
import { Panel } from '../parts/panel.tsx'
import { Preformatted } from '../parts/preformatted.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { previewTexts } from './texts/preview.ts'

/** A request of an app for tokens; lists have spaces between them. */
type Asked = { client_id: string; scope: string; resource: string }

/** Says what the tokens of an app for a user would have. The address says which app, and what it asks for. */
export function TokenPreview({ user: { user_id: id } }: { user: User }) {
  const t = useTexts(previewTexts)
  const { searchParams, setSearchParams } = useAddressState()
  const { client_id: clientId = '', scope = '', resource = '' } = searchParams
  const asked: Asked = { client_id: clientId, scope, resource }
  return (
    <Stack gap="lg">
      <SwitchedOff />
      <Panel title={t.title}>
        <Text size="sm" mb="sm">
          {t.text}
        </Text>
        {/* Anew when the address says something else, as after a step back. */}
        <AskedForm key={JSON.stringify(asked)} asked={asked} onAsk={setSearchParams} />
      </Panel>
      {clientId === '' ? <Text size="sm">{t.choose}</Text> : <Preview userId={id} asked={asked} />}
    </Stack>
  )
}

function AskedForm({ asked, onAsk }: { asked: Asked; onAsk(asked: Asked): void }) {
  const t = useTexts(previewTexts)
  const may = useMay()
  const [values, setValues] = useState(asked)
  const change = (changes: Partial<Asked>) => setValues({ ...values, ...changes })
  function submit(event: FormEvent) {
    event.preventDefault()
    onAsk(values)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={640}>
        <AppChoice id={values.client_id} onChange={(id) => change({ client_id: id })} />
        {may('resources', 'read') ? (
          <ResourceChoice
            identifiers={wordsIn(values.resource)}
            onChange={(identifiers) => change({ resource: identifiers.join(' ') })}
          />
        ) : (
          <TextInput
            label={t.resources}
            description={t.resourcesText}
            placeholder={t.identifiersHint}
            value={values.resource}
            onChange={({ currentTarget }) => change({ resource: currentTarget.value })}
          />
        )}
        <TextInput
          label={t.scope}
          description={t.scopeText}
          value={values.scope}
          onChange={({ currentTarget }) => change({ scope: currentTarget.value })}
        />
        <Group>
          <Button type="submit" disabled={values.client_id === ''}>
            {t.show}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function AppChoice({ id, onChange }: { id: string; onChange(id: string): void }) {
  const t = useTexts(previewTexts)
  const { name = id } = useClientName(id === '' ? undefined : id)
  const chosen: Choice[] = id === '' ? [] : [{ value: id, label: name, detail: id }]
  const choiceOf = ({
    client_id: value,
    client_name: label,
  }: {
    client_id: string
    client_name: string
  }) => ({
    ...{ value, label, detail: value },
  })
  const { input } = useFound('/admin/api/clients', choiceOf, chosen)
  return (
    <Select
      {...input}
      label={t.app}
      placeholder={t.appHint}
      value={id === '' ? null : id}
      onChange={(value) => onChange(value ?? '')}
    />
  )
}

function ResourceChoice({
  identifiers,
  onChange,
}: {
  identifiers: readonly string[]
  onChange(identifiers: string[]): void
}) {
  const t = useTexts(previewTexts)
  const chosen = identifiers.map((value): Choice => ({ value, label: value, detail: '' }))
  const { input } = useFound('/admin/api/resources', choiceOf, chosen)
  return (
    <MultiSelect
      {...input}
      label={t.resources}
      description={t.resourcesText}
      placeholder={identifiers.length === 0 ? t.resourcesHint : undefined}
      value={[...identifiers]}
      onChange={onChange}
      hidePickedOptions
    />
  )
}

/** By the identifier, which the address and the API have. */
function choiceOf({ name, identifier: value }: ResourceServer): Choice {
  return { value, label: value, detail: name }
}

function Preview({ userId, asked }: { userId: string; asked: Asked }) {
  const t = useTexts(previewTexts)
  const given = Object.entries(asked).filter(([, value]) => value.trim() !== '')
  const query = useQuery(
    read('/admin/api/users/{user_id}/token-preview', {
      path: { user_id: userId },
      query: { ...Object.fromEntries(given), client_id: asked.client_id },
    }),
  )
  const { data } = query
  if (data === undefined) return <Loading query={query} />
  if (data.refused)
    return (
      <Alert color="yellow" title={t.refused} role="status">
        {data.refused.error_description} (<code>{data.refused.error}</code>)
      </Alert>
    )
  return <Tokens preview={data} scope={asked.scope} />
}

function Tokens({
  preview: { access_token: accessToken, id_token: idToken, userinfo },
  scope,
}: {
  preview: Answer<'/admin/api/users/{user_id}/token-preview'>
  scope: string
}) {
  const t = useTexts(previewTexts)
  const granted = wordsIn(String(Object(accessToken).scope ?? ''))
  const missing = wordsIn(scope).filter((word) => !granted.includes(word))
  const openid = granted.includes('openid')
  const given = granted.length > 0 ? <Words words={granted} /> : t.noScope
  const lost = missing.length > 0 && (
    <>
      <Words words={missing} />
      <Text size="sm" mt={4}>
        {t.missingText}
      </Text>
    </>
  )
  return (
    <Stack gap="lg">
      <Panel title={t.scope}>
        <Facts
          facts={[
            [t.granted, given],
            [t.missing, lost || undefined],
          ]}
        />
      </Panel>
      <Claims title={t.accessToken} claims={accessToken} />
      <Claims title={t.idToken} claims={idToken} otherwise={t.noOpenid} />
      <Claims title={t.userinfo} claims={userinfo} otherwise={openid ? t.noUserinfo : t.noOpenid} />
    </Stack>
  )
}

function Words({ words }: { words: readonly string[] }) {
  return (
    <Group gap={4}>
      {words.map((word) => (
        <Badge key={word} variant="default" tt="none">
          {word}
        </Badge>
      ))}
    </Group>
  )
}

/** The claims of a part, as JSON. @param otherwise why there are none */
function Claims({
  title,
  claims,
  otherwise,
}: {
  title: string
  claims: object | undefined
  otherwise?: string
}) {
  const t = useTexts(previewTexts)
  const text = claims && JSON.stringify(claims, null, 2)
  return (
    <Panel title={title} actions={text && <Copy value={text} label={t.claimsOf(title)} />}>
      {text ? <Preformatted text={text} /> : <Text size="sm">{otherwise}</Text>}
    </Panel>
  )
}

const wordsIn = (text: string) => text.split(' ').filter((word) => word !== '')
