import type { OrganizationDomain } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAct } from '../actions/act.ts'
import { useConfirmation } from '../actions/confirm.tsx'
import { read } from '../api.ts'
import { CopyableCode } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { useNotices } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { renewAll } from '../queries.ts'
import { useTexts } from '../texts/language.ts'
import { addDomain, atOrganization, proveDomain, removeDomain } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { domainTexts } from './texts/domain.ts'

const colors = { unproven: 'gray', proven: 'teal', missing: 'yellow', lost: 'red' }

/** The domains of an organization, each with the record that proves it. */
export function OrganizationDomains({ id }: { id: string }) {
  const t = useTexts(domainTexts)
  const mayWrite = useMayWrite()
  const query = useQuery(
    read('/admin/api/organizations/{organization_id}/domains', atOrganization(id).params),
  )
  return (
    <Stack>
      {mayWrite && <AddDomain id={id} />}
      <Loading query={query} />
      {query.data?.items.length === 0 && <Text size="sm">{t.empty}</Text>}
      {query.data?.items.map((domain) => (
        <DomainPanel key={domain.domain} id={id} domain={domain} />
      ))}
    </Stack>
  )
}

function AddDomain({ id }: { id: string }) {
  const t = useTexts(domainTexts)
  const { act, isPending } = useAct()
  const [domain, setDomain] = useState('')
  const wanted = domain.trim()
  return (
    <Panel title={t.addTitle}>
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (wanted !== '' && (await act(() => addDomain(id, wanted), t.added(wanted)))) setDomain('')
        }}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            label={t.domain}
            description={t.domainText}
            placeholder="acme.example"
            value={domain}
            onChange={({ currentTarget }) => setDomain(currentTarget.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            style={{ flex: '1 1 16rem', maxInlineSize: '32rem' }}
          />
          <Button type="submit" loading={isPending} disabled={wanted === ''}>
            {t.add}
          </Button>
        </Group>
      </form>
    </Panel>
  )
}

function DomainPanel({ id, domain }: { id: string; domain: OrganizationDomain }) {
  const t = useTexts(domainTexts)
  const mayWrite = useMayWrite()
  const { domain: name, state, record_name: recordName, record_value: value } = domain
  return (
    <Panel
      title={<bdi style={{ overflowWrap: 'anywhere' }}>{name}</bdi>}
      actions={<Badge color={colors[state]}>{t.states[state]}</Badge>}
    >
      <Stack gap="sm">
        <Text size="sm">{t.stateTexts[state]}</Text>
        <Facts
          facts={[
            [t.recordName, <CopyableCode key="name" value={recordName} label={t.recordName} />],
            [t.recordValue, <CopyableCode key="value" value={value} label={t.recordValue} />],
            [t.addedAt, <Moment key="added" at={domain.added_at} />],
            [t.provenAt, domain.proven_at && <Moment key="proven" at={domain.proven_at} />],
            [t.checkedAt, domain.checked_at && <Moment key="checked" at={domain.checked_at} />],
            [t.missingSince, domain.missing_since && <Moment key="missing" at={domain.missing_since} />],
          ]}
        />
        {mayWrite && <DomainActions id={id} name={name} />}
      </Stack>
    </Panel>
  )
}

function DomainActions({ id, name }: { id: string; name: string }) {
  const t = useTexts(domainTexts)
  const { act } = useAct()
  const { done, failed } = useNotices()
  const { ask, dialog } = useConfirmation()
  const [checking, setChecking] = useState(false)
  const [missing, setMissing] = useState<string>()

  async function check(): Promise<void> {
    setChecking(true)
    setMissing(undefined)
    try {
      const { reason } = await proveDomain(id, name)
      if (reason === undefined) done(t.proven(name))
      setMissing(reason)
      await renewAll()
    } catch (error) {
      failed(error)
    } finally {
      setChecking(false)
    }
  }
  return (
    <>
      {missing && (
        <Alert color="yellow" title={t.notProven} role="status">
          {missing}
        </Alert>
      )}
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          loading={checking}
          aria-label={`${t.check}: ${name}`}
          onClick={() => void check()}
        >
          {t.check}
        </Button>
        <Button
          color="red"
          variant="subtle"
          size="xs"
          aria-label={`${t.remove}: ${name}`}
          onClick={() =>
            ask({
              title: t.removeTitle(name),
              consequences: t.removeEnds,
              action: t.remove,
              perform: () => act(() => removeDomain(id, name), t.removed(name)),
            })
          }
        >
          {t.remove}
        </Button>
      </Group>
      {dialog}
    </>
  )
}
