import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useConfirmation } from '../actions/confirm.tsx'
import { isOutdated, readOnce } from '../api.ts'
import { isSame } from '../form/form-state.ts'
import { formTexts } from '../form/texts.ts'
import { Failure } from '../parts/failure.tsx'
import { useNotices } from '../parts/notice.tsx'
import { renewAll } from '../queries.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import type { SendChange } from './own-changes.ts'
import { atResource } from './requests.ts'
import { areComplete, filledScopes, type Scope, takenAway } from './scopes.ts'
import { ScopesEditor } from './scopes-editor.tsx'
import { resourceTexts } from './texts.ts'

/** The rows that somebody edits, and the resource server as it was when they began. */
type Edited = { rows: readonly Scope[]; base: ResourceServer }

/** A form for the scopes of a resource server. It asks before it takes one away, which ends tokens. */
export function ScopesForm({ resource, send }: { resource: ResourceServer; send: SendChange }) {
  const t = useTexts(resourceTexts)
  const { unsaved, discard } = useTexts(formTexts)
  const { ask, dialog } = useConfirmation()
  const [edited, setEdited] = useState<Edited>()
  const [checked, setChecked] = useState(false)
  const { rows, base } = edited ?? { rows: resource.scopes, base: resource }
  const scopes = filledScopes(rows)
  const dirty = !isSame(scopes, base.scopes)
  const reset = () => {
    setEdited(undefined)
    setChecked(false)
    saving.forget()
  }
  const saving = useSaving(send, reset)
  useBlocker({
    shouldBlockFn: () => dirty && !saving.busy && !confirm(`${unsaved} ${discard}?`),
    enableBeforeUnload: () => dirty && !saving.busy,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (!areComplete(rows)) return
    saveOver(base)
  }

  /** Saves the form. When this takes scopes away, it first asks about them. */
  function saveOver(now: ResourceServer) {
    const save = () => saving.save(scopes, now)
    const taken = takenAway(now.scopes, scopes)
    if (taken.length === 0) void save()
    else
      ask({
        title: t.takeAwayTitle(taken.join(', ')),
        consequences: t.takeAwayEnds,
        action: t.saveScopes,
        perform: save,
      })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack maw={640}>
        <ScopesEditor
          rows={rows}
          checked={checked}
          onChange={(changed) => setEdited({ rows: changed, base })}
        />
        {saving.theirs ? (
          <Conflict
            theirs={saving.theirs}
            busy={saving.busy}
            onMine={saveOver}
            onTheirs={() => {
              reset()
              void renewAll()
            }}
          />
        ) : (
          saving.failure !== undefined && <Failure error={saving.failure} />
        )}
        <Group>
          <Button type="submit" loading={saving.busy} disabled={!dirty}>
            {t.saveScopes}
          </Button>
          {dirty && (
            <Button variant="subtle" onClick={reset} disabled={saving.busy}>
              {discard}
            </Button>
          )}
        </Group>
      </Stack>
      {dialog}
    </form>
  )
}

/** Saves scopes. A change by somebody else counts only when it is to the scopes. */
function useSaving(send: SendChange, onSaved: () => void) {
  const common = useTexts(commonTexts)
  const { done } = useNotices()
  const [failure, setFailure] = useState<unknown>()
  const [theirs, setTheirs] = useState<ResourceServer>()
  const [busy, setBusy] = useState(false)

  async function attempt(scopes: Scope[], base: ResourceServer): Promise<void> {
    try {
      const { revision } = await send({ scopes, revision: base.revision })
      // No undo that would take a scope away: it would revoke tokens.
      const undo =
        takenAway(scopes, base.scopes).length === 0
          ? () => send({ scopes: base.scopes, revision }).then(renewAll)
          : undefined
      await renewAll()
      onSaved()
      done(common.saved, undo)
    } catch (error) {
      if (!isOutdated(error)) throw error
      const now = await readOnce('/admin/api/resources/{resource_id}', atResource(base.resource_id).params)
      if (isSame(now.scopes, base.scopes)) return attempt(scopes, now)
      setTheirs(now)
    }
  }

  async function save(scopes: Scope[], base: ResourceServer): Promise<void> {
    setBusy(true)
    setFailure(undefined)
    setTheirs(undefined)
    await attempt(scopes, base).catch(setFailure)
    setBusy(false)
  }
  const forget = () => {
    setFailure(undefined)
    setTheirs(undefined)
  }
  return { save, busy, failure, theirs, forget }
}

function Conflict({
  theirs,
  busy,
  onMine,
  onTheirs,
}: {
  theirs: ResourceServer
  busy: boolean
  onMine(theirs: ResourceServer): void
  onTheirs(): void
}) {
  const t = useTexts(formTexts)
  return (
    <Alert color="yellow" title={t.conflict} role="alert">
      <Text size="sm">{t.theirs}:</Text>
      <List size="sm" my="xs">
        {theirs.scopes.map(({ scope, description }) => (
          <List.Item key={scope}>
            <Code>{scope}</Code> {description}
          </List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onTheirs} disabled={busy}>
          {t.takeTheirs}
        </Button>
        <Button size="xs" onClick={() => onMine(theirs)} loading={busy}>
          {t.keepMine}
        </Button>
      </Group>
    </Alert>
  )
}
