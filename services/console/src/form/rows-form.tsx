import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useConfirmation } from '../actions/confirm.tsx'
import { isOutdated } from '../api.ts'
import { Failure } from '../parts/failure.tsx'
import { useNotices } from '../parts/notice.tsx'
import { renewAll } from '../queries.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { isSame } from './form-state.ts'
import { formTexts } from './texts.ts'

/** A list of something with a revision, which people edit row by row. */
export type RowList<Item, Row> = {
  /** Its rows. */
  rowsOf(item: Item): Row[]
  /** The rows that have something in them, as they are sent. */
  filled(rows: Row[]): Row[]
  /** Whether rows can be sent. */
  areComplete(rows: Row[]): boolean
  /** The names of what a change takes something from. */
  takenFrom(before: Row[], after: Row[]): string[]
  words: { save: string; takeTitle(names: string): string; takeEnds: readonly string[] }
  editor(props: { rows: Row[]; checked: boolean; onChange(rows: Row[]): void }): ReactNode
  /** The rows in a few words, for people who choose between two versions. */
  items(rows: Row[]): { key: string; shown: ReactNode }[]
}

/** How rows are stored. */
type Stored<Item, Row> = {
  read(): Promise<Item>
  send(rows: Row[], revision: number): Promise<Item>
}

/**
 * A form for a list of rows. It asks before it takes something away.
 * @param item what has the list
 * @param read reads it again
 * @param send stores rows, based on a revision that the form was opened with
 */
export function RowsForm<Item extends { revision: number }, Row>({
  item,
  read,
  send,
  list,
}: Stored<Item, Row> & { item: Item; list: RowList<Item, Row> }) {
  const { unsaved, discard } = useTexts(formTexts)
  const { ask, dialog } = useConfirmation()
  // The rows that somebody edits, and what has them as it was when they began.
  const [edited, setEdited] = useState<{ rows: Row[]; base: Item }>()
  const [checked, setChecked] = useState(false)
  const { rows, base } = edited ?? { rows: list.rowsOf(item), base: item }
  const filled = list.filled(rows)
  const dirty = !isSame(filled, list.rowsOf(base))
  const reset = () => {
    setEdited(undefined)
    setChecked(false)
    saving.forget()
  }
  const saving = useSaving({ read, send }, list, reset)
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
  function saveOver(now: Item) {
    const save = () => saving.save(filled, now)
    const taken = list.takenFrom(list.rowsOf(now), filled)
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
            theirs={list.items(list.rowsOf(saving.theirs))}
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
function useSaving<Item extends { revision: number }, Row>(
  { read, send }: Stored<Item, Row>,
  { rowsOf, takenFrom }: RowList<Item, Row>,
  onSaved: () => void,
) {
  const common = useTexts(commonTexts)
  const { done } = useNotices()
  const [failure, setFailure] = useState<unknown>()
  const [theirs, setTheirs] = useState<Item>()
  const [busy, setBusy] = useState(false)

  async function attempt(rows: Row[], base: Item): Promise<void> {
    try {
      const { revision } = await send(rows, base.revision)
      // No undo that would take something away without a question.
      const undo =
        takenFrom(rows, rowsOf(base)).length === 0
          ? () => send(rowsOf(base), revision).then(renewAll)
          : undefined
      await renewAll()
      onSaved()
      done(common.saved, undo)
    } catch (error) {
      if (!isOutdated(error)) throw error
      const now = await read()
      if (isSame(rowsOf(now), rowsOf(base))) return attempt(rows, now)
      setTheirs(now)
    }
  }

  async function save(rows: Row[], base: Item): Promise<void> {
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
