import { Accordion, Alert, Button, Group, Stack } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useErrorWords } from '../parts/failure.tsx'
import { useTexts } from '../texts/language.ts'
import { FieldInput } from './field-input.tsx'
import { isEmpty, type ObjectSchema, problemOf } from './schema.ts'
import { formTexts } from './texts.ts'

/** The values of a form, by the name of the field. */
export type Values = Readonly<Record<string, unknown>>

/** The words for a field. @returns its label; by default its title in the schema, or its name */
export function labelOf(schema: ObjectSchema, name: string): string {
  return schema.properties[name]?.title ?? name
}

/**
 * A form whose fields and rules are those of a schema of the API.
 * @param main the fields at the top; all others of the schema follow under "More settings"
 * @param without fields that the form leaves out
 * @param send sends what changed; it throws what the API refuses
 */
export function SchemaForm({
  schema,
  initial,
  main,
  without = [],
  labels = {},
  action,
  send,
  children,
}: {
  schema: ObjectSchema
  initial: Values
  main: readonly string[]
  without?: readonly string[]
  labels?: Readonly<Record<string, string>>
  action: string
  send(values: Values): Promise<void>
  children?: ReactNode
}) {
  const t = useTexts(formTexts)
  const wordsOf = useErrorWords()
  const [values, setValues] = useState<Values>({})
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [failure, setFailure] = useState<unknown>()
  const [busy, setBusy] = useState(false)

  const shownValue = (name: string) => (name in values ? values[name] : initial[name])
  const changed = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isSame(value, initial[name])),
  )
  const dirty = Object.keys(changed).length > 0
  useBlocker({
    shouldBlockFn: () => dirty && !busy && !confirm(`${t.unsaved} ${t.discard}?`),
    enableBeforeUnload: () => dirty && !busy,
  })
  const fields = Object.keys(schema.properties).filter((name) => !without.includes(name))
  const problem = (name: string) => {
    const required = schema.required?.includes(name) ?? false
    const found = problemOf(schema.properties[name] ?? {}, shownValue(name), required)
    if (found === undefined) return undefined
    return 'bound' in found ? t[found.rule](found.bound) : t[found.rule]
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    setLeft(new Set(fields))
    const invalid = fields.find((name) => problem(name) !== undefined)
    if (invalid !== undefined) {
      document.querySelector<HTMLElement>(`[name="${CSS.escape(invalid)}"]`)?.focus()
      return
    }
    setBusy(true)
    setFailure(undefined)
    try {
      await send(changed)
      setValues({})
      setLeft(new Set())
    } catch (error) {
      setFailure(error)
    }
    setBusy(false)
  }

  const input = (name: string) => (
    <FieldInput
      key={name}
      name={name}
      schema={schema.properties[name] ?? {}}
      label={labels[name] ?? labelOf(schema, name)}
      description={schema.properties[name]?.description?.replaceAll('`', '')}
      required={schema.required?.includes(name) ?? false}
      error={left.has(name) ? problem(name) : undefined}
      value={shownValue(name)}
      onChange={(value) => setValues({ ...values, [name]: value })}
      onBlur={() => setLeft(new Set([...left, name]))}
    />
  )
  const rest = fields.filter((name) => !main.includes(name))
  // A field with a problem or a value must not be out of sight.
  const open = rest.some((name) => !isEmpty(shownValue(name)) || (left.has(name) && problem(name)))

  return (
    <form onSubmit={submit} noValidate>
      <Stack maw={640}>
        {main.map(input)}
        {children}
        {rest.length > 0 && (
          <Accordion variant="separated" defaultValue={open ? 'more' : null}>
            <Accordion.Item value="more">
              <Accordion.Control>{t.moreSettings}</Accordion.Control>
              <Accordion.Panel>
                <Stack>{rest.map(input)}</Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
        {failure !== undefined && (
          <Alert color="red" title={wordsOf(failure).title} role="alert">
            {wordsOf(failure).text}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={busy} disabled={!dirty}>
            {action}
          </Button>
          {dirty && (
            <Button variant="subtle" onClick={() => setValues({})} disabled={busy}>
              {t.discard}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** Whether two values of a form mean the same. */
export function isSame(one: unknown, other: unknown): boolean {
  return (isEmpty(one) && isEmpty(other)) || JSON.stringify(one) === JSON.stringify(other)
}
