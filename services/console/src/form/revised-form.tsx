import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { type GetPath, isOutdated, readOnce } from '../api.ts'
import { useNotices } from '../parts/notice.tsx'
import { renewAll } from '../queries.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { isSame, type Sent, type Values } from './form-state.ts'
import { isEmpty, isNullable, type ObjectSchema } from './schema.ts'
import { labelOf, SchemaForm } from './schema-form.tsx'
import { formTexts } from './texts.ts'

/** A change that came after somebody else's. */
type Conflict = { change: Values; theirs: Values }

/**
 * A form that changes something with a revision. When somebody else changed it meanwhile, it shows both and asks which counts.
 * @param current the values on the server when the form was opened
 * @param valuesOf makes the values of the form of an answer of the API; by default they are the same
 * @param path where the API has it
 * @param send sends a change with the revision that it is based on
 */
export function RevisedForm({
  schema,
  current,
  main,
  without,
  path,
  params,
  follows = {},
  irreversible = [],
  valuesOf = (answer) => answer,
  send,
}: {
  schema: ObjectSchema
  current: Values
  main: readonly string[]
  without: readonly string[]
  path: GetPath
  params: { path: object }
  /** Fields that the server changes with another one, by its name: to undo a change is to set them back too. */
  follows?: Readonly<Record<string, readonly string[]>>
  /** Fields whose value nobody is told, so that a change of them cannot be undone. */
  irreversible?: readonly string[]
  valuesOf?(answer: Values): Values
  send(change: Values): Promise<unknown>
}) {
  const common = useTexts(commonTexts)
  const { done } = useNotices()
  // The values with which the form was opened, so that reading again does not change the values that somebody edits.
  const [base, setBase] = useState(() => valuesOf(current))
  const [conflict, setConflict] = useState<Conflict>()
  // How often somebody took the values of somebody else, which empties the form.
  const [taken, setTaken] = useState(0)

  const read = async () => valuesOf((await readOnce(path, params)) as Values)

  /** @param against the values on the server when it takes the change */
  async function save(change: Values, against: Values): Promise<Sent> {
    try {
      await send({ ...removable(change, schema), revision: against.revision })
    } catch (error) {
      if (!isOutdated(error)) throw error
      const now = await read()
      // A change by somebody else counts only when it is to the same fields.
      if (Object.keys(change).every((name) => isSame(now[name], against[name]))) return save(change, now)
      setConflict({ change, theirs: now })
      return 'kept'
    }
    setConflict(undefined)
    const now = await read()
    setBase(now)
    await renewAll()
    const changed = Object.keys(change).flatMap((name) => [name, ...(follows[name] ?? [])])
    const before = Object.fromEntries(changed.map((name) => [name, against[name]]))
    const undo = async () => {
      // With the revision, so that it undoes this change and nobody's later one.
      await send({ ...removable(before, schema), revision: now.revision })
      setBase(await read())
      await renewAll()
    }
    done(common.saved, changed.some((name) => irreversible.includes(name)) ? undefined : undo)
    return undefined
  }

  return (
    <>
      <SchemaForm
        key={taken}
        schema={schema}
        initial={base}
        main={main}
        without={without}
        action={common.save}
        send={(change) => save(change, base)}
      />
      {conflict && (
        <ConflictQuestion
          schema={schema}
          conflict={conflict}
          onClose={() => setConflict(undefined)}
          onMine={() => save(conflict.change, conflict.theirs)}
          onTheirs={() => {
            setBase(conflict.theirs)
            setTaken(taken + 1)
            setConflict(undefined)
            void renewAll()
          }}
        />
      )}
    </>
  )
}

/** Says null for each value that was removed and that the API can remove. */
function removable(change: Values, schema: ObjectSchema): Values {
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => {
      const nullable = isNullable(schema.properties[name] ?? {})
      return [name, isEmpty(value) && nullable ? null : (value ?? '')]
    }),
  )
}

function ConflictQuestion({
  schema,
  conflict: { change, theirs },
  onClose,
  onMine,
  onTheirs,
}: {
  schema: ObjectSchema
  conflict: Conflict
  onClose(): void
  onMine(): Promise<unknown>
  onTheirs(): void
}) {
  const t = useTexts(formTexts)
  const common = useTexts(commonTexts)
  const { failed } = useNotices()
  const [busy, setBusy] = useState(false)
  const differing = Object.entries(change).filter(([name, value]) => !isSame(value, theirs[name]))
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.conflict}
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <Stack>
        <Text size="sm">{t.conflictText}</Text>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.field}</Table.Th>
              <Table.Th>{t.theirs}</Table.Th>
              <Table.Th>{t.yours}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differing.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th>{labelOf(schema, name)}</Table.Th>
                <Table.Td>{written(theirs[name])}</Table.Td>
                <Table.Td>{written(value)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Group justify="flex-end">
          <Button variant="default" onClick={onTheirs} disabled={busy}>
            {t.takeTheirs}
          </Button>
          <Button
            loading={busy}
            onClick={() => {
              setBusy(true)
              onMine()
                .catch(failed)
                .finally(() => setBusy(false))
            }}
          >
            {t.keepMine}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function written(value: unknown): string {
  if (isEmpty(value)) return '–'
  return Array.isArray(value) ? value.join('\n') : String(value)
}
