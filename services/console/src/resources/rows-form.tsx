import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
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

/** A list of a resource server that people edit row by row. */
export type RowList<Name extends 'scopes' | 'roles'> = {
  name: Name
  /** The rows that have something in them, as they are sent. */
  filled(rows: Rows<Name>): Rows<Name>
  /** Whether rows can be sent. */
  areComplete(rows: Rows<Name>): boolean
  /** The names of what a change takes something from. */
  takenFrom(before: Rows<Name>, after: Rows<Name>): string[]
  words: { save: string; takeTitle(names: string): string; takeEnds: readonly string[] }
  editor(props: { rows: Rows<Name>; checked: boolean; onChange(rows: Rows<Name>): void }): ReactNode
  /** The rows in a few words, for people who choose between two versions. */
  items(rows: Rows<Name>): { key: string; shown: ReactNode }[]
}

type Rows<Name extends 'scopes' | 'roles'> = ResourceServer[Name]

/** A form for a list of a resource server. It asks before it takes something away, which ends tokens. */
export function RowsForm<Name extends 'scopes' | 'roles'>({
  resource,
  send,
  list,
}: {
  resource: ResourceServer
  send: SendChange
  list: RowList<Name>
}) {
  const { unsaved, discard } = useTexts(formTexts)
  const { ask, dialog } = useConfirmation()
  // The rows that somebody edits, and the resource server as it was when they began.
  const [edited, setEdited] = useState<{ rows: Rows<Name>; base: ResourceServer }>()
  const [checked, setChecked] = useState(false)
  const { rows, base } = edited ?? { rows: resource[list.name], base: resource }
  const filled = list.filled(rows)
  const dirty = !isSame(filled, base[list.name])
  const reset = () => {
    setEdited(undefined)
    setChecked(false)
    saving.forget()
  }
  const saving = useSaving(send, list, reset)
  useBlocker({
    shouldBlockFn: () => dirty && !saving.busy && !confirm(`${unsaved} ${discard}?`),
    enableBeforeUnload: () => dirty && !saving.busy,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (!list.areComplete(rows)) return
    saveOver(base)
  }

  /** Saves the form. When this takes something away, it first asks. */
  function saveOver(now: ResourceServer) {
    const save = () => saving.save(filled, now)
    const taken = list.takenFrom(now[list.name], filled)
    const { takeTitle, takeEnds, save: action } = list.words
    if (taken.length === 0) void save()
    else ask({ title: takeTitle(taken.join(', ')), consequences: takeEnds, action, perform: save })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack maw={640}>
        {list.editor({ rows, checked, onChange: (changed) => setEdited({ rows: changed, base }) })}
        {saving.theirs ? (
          <Conflict
            theirs={list.items(saving.theirs[list.name])}
            busy={saving.busy}
            onMine={() => saving.theirs && saveOver(saving.theirs)}
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
            {list.words.save}
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

/** Saves rows. A change by somebody else counts only when it is to the same list. */
function useSaving<Name extends 'scopes' | 'roles'>(
  send: SendChange,
  { name, takenFrom }: RowList<Name>,
  onSaved: () => void,
) {
  const common = useTexts(commonTexts)
  const { done } = useNotices()
  const [failure, setFailure] = useState<unknown>()
  const [theirs, setTheirs] = useState<ResourceServer>()
  const [busy, setBusy] = useState(false)

  async function attempt(rows: Rows<Name>, base: ResourceServer): Promise<void> {
    try {
      const { revision } = await send({ [name]: rows, revision: base.revision })
      // No undo that would take something away: it would end tokens.
      const undo =
        takenFrom(rows, base[name]).length === 0
          ? () => send({ [name]: base[name], revision }).then(renewAll)
          : undefined
      await renewAll()
      onSaved()
      done(common.saved, undo)
    } catch (error) {
      if (!isOutdated(error)) throw error
      const now = await readOnce('/admin/api/resources/{resource_id}', atResource(base.resource_id).params)
      if (isSame(now[name], base[name])) return attempt(rows, now)
      setTheirs(now)
    }
  }

  async function save(rows: Rows<Name>, base: ResourceServer): Promise<void> {
    setBusy(true)
    setFailure(undefined)
    setTheirs(undefined)
    await attempt(rows, base).catch(setFailure)
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
  theirs: { key: string; shown: ReactNode }[]
  busy: boolean
  onMine(): void
  onTheirs(): void
}) {
  const t = useTexts(formTexts)
  return (
    <Alert color="yellow" title={t.conflict} role="alert">
      <Text size="sm">{t.theirs}:</Text>
      <List size="sm" my="xs">
        {theirs.map(({ key, shown }) => (
          <List.Item key={key}>{shown}</List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onTheirs} disabled={busy}>
          {t.takeTheirs}
        </Button>
        <Button size="xs" onClick={onMine} loading={busy}>
          {t.keepMine}
        </Button>
      </Group>
    </Alert>
  )
}
