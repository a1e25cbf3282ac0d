import { Accordion, Button, Group, Stack } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useState } from 'react'
import { Failure } from '../parts/failure.tsx'
import { useTexts } from '../texts/language.ts'
import { FieldInput } from './field-input.tsx'
import { useFormState, type Values } from './form-state.ts'
import { isEmpty, isNullable, type ObjectSchema } from './schema.ts'
import { formTexts } from './texts.ts'

/** The words for a field. @returns its label; by default its title in the schema, or its name */
export function labelOf(schema: ObjectSchema, name: string): string {
  return schema.properties[name]?.title ?? name
}

/** The properties of an input that a form has for one of its fields. */
export type OwnInput = {
  label: string
  description?: string
  error?: string
  value: unknown
  /** The value of another field. */
  valueAt(name: string): unknown
  onChange(value: unknown): void
}

/**
 * A form whose fields and rules are those of a schema of the API.
 * @param main the fields at the top; all others of the schema follow under "More settings"
 * @param without fields that the form leaves out
 * @param hides fields that mean nothing beside the other values, which it neither shows nor sends
 * @param inputs the inputs of fields that no schema describes well enough
 * @param suggest values for fields that nobody has typed in, by those that somebody has
 * @param send sends what changed; it throws what the API refuses, and gives `kept` when nothing was saved yet
 */
export function SchemaForm({
  schema,
  initial,
  main,
  without = [],
  labels = {},
  hides = () => [],
  inputs = {},
  suggest,
  action,
  send,
  children,
}: {
  schema: ObjectSchema
  initial: Values
  main: readonly string[]
  without?: readonly string[]
  labels?: Readonly<Record<string, string>>
  hides?: ((values: Values) => readonly string[]) | undefined
  inputs?: Readonly<Record<string, ComponentType<OwnInput>>>
  suggest?: ((typed: Values) => Values) | undefined
  action: string
  send(values: Values): Promise<unknown>
  children?: ReactNode
}) {
  const t = useTexts(formTexts)
  const form = useFormState({
    ...{ schema, initial, suggest, send },
    fieldsOf(values) {
      const hidden = [...without, ...hides(values)]
      return Object.keys(schema.properties).filter((name) => !hidden.includes(name))
    },
  })
  const { fields, dirty, busy, failure } = form
  useBlocker({
    shouldBlockFn: () => dirty && !busy && !confirm(`${t.unsaved} ${t.discard}?`),
    enableBeforeUnload: () => dirty && !busy,
  })

  function input(name: string) {
    const shared = {
      label: labels[name] ?? labelOf(schema, name),
      description: schema.properties[name]?.description?.replaceAll('`', ''),
      error: form.errorOf(name),
      value: form.valueAt(name),
      onChange: (value: unknown) => form.change(name, value),
    }
    const Own = inputs[name]
    if (Own) return <Own key={name} {...shared} valueAt={form.valueAt} />
    return (
      <FieldInput
        key={name}
        {...shared}
        name={name}
        schema={schema.properties[name] ?? {}}
        required={schema.required?.includes(name) ?? false}
        hasDefault={initial[name] === undefined || isNullable(schema.properties[name] ?? {})}
        onBlur={() => form.leave(name)}
      />
    )
  }
  const rest = fields.filter((name) => !main.includes(name))
  // A field with a value, or with a problem, must not be out of sight.
  const [opened, setOpened] = useState(() => rest.some((name) => !isEmpty(initial[name])))
  const open = opened || rest.some((name) => form.errorOf(name) !== undefined)

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void form.submit()
      }}
      noValidate
    >
      <Stack maw={640}>
        {main.filter((name) => fields.includes(name)).map(input)}
        {children}
        {rest.length > 0 && (
          <Accordion
            variant="separated"
            value={open ? 'more' : null}
            onChange={(value) => setOpened(value !== null)}
          >
            <Accordion.Item value="more">
              <Accordion.Control>{t.moreSettings}</Accordion.Control>
              <Accordion.Panel>
                <Stack>{rest.map(input)}</Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
        {failure !== undefined && <Failure error={failure} />}
        <Group>
          <Button type="submit" loading={busy} disabled={!dirty}>
            {action}
          </Button>
          {dirty && (
            <Button variant="subtle" onClick={form.discard} disabled={busy}>
              {t.discard}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
