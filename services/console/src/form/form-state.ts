import { useState } from 'react'
import { ApiError } from '../api.ts'
import { useTexts } from '../texts/language.ts'
import { isEmpty, type ObjectSchema, problemOf } from './schema.ts'
import { formTexts } from './texts.ts'

/** The values of a form, by the name of the field. */
export type Values = Readonly<Record<string, unknown>>

/** The API's refusal of one field. */
type Refused = { name: string; text: string }

/** `kept` when nothing was saved yet, so that what people typed stays. */
export type Sent = undefined | 'kept'

/** The state of a form, and its functions. */
export type FormState = {
  /** The names of the fields that the form shows. */
  fields: readonly string[]
  dirty: boolean
  busy: boolean
  /** Why the API refused the form as a whole. */
  failure: unknown
  valueAt(name: string): unknown
  /** The fault of a field, in words, once people have left it or sent the form. */
  errorOf(name: string): string | undefined
  change(name: string, value: unknown): void
  leave(name: string): void
  discard(): void
  /** Sends what changed, or puts the focus on the first field that is wrong. */
  submit(): Promise<void>
}

/**
 * Keeps the values of a form and checks them by the rules of a schema.
 * @param fieldsOf the names of the fields that the form shows, by its values; those of others are not sent
 * @param suggest values for fields that nobody has typed in, by those that somebody has
 * @param send sends what changed; it throws what the API refuses, and gives `kept` when nothing was saved yet
 */
export function useFormState({
  schema,
  initial,
  fieldsOf,
  suggest,
  send,
}: {
  schema: ObjectSchema
  initial: Values
  fieldsOf(values: Values): readonly string[]
  suggest?: ((typed: Values) => Values) | undefined
  send(changed: Values): Promise<unknown>
}): FormState {
  const t = useTexts(formTexts)
  const [typed, setValues] = useState<Values>({})
  const values: Values = { ...suggest?.(typed), ...typed }
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<Refused>()
  const [failure, setFailure] = useState<unknown>()
  const [busy, setBusy] = useState(false)

  const valueAt = (name: string) => (name in values ? values[name] : initial[name])
  const fields = fieldsOf({ ...initial, ...values })
  const changed = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => fields.includes(name) && !isSame(value, initial[name])),
  )
  function problem(name: string): string | undefined {
    const required = schema.required?.includes(name) ?? false
    const found = problemOf(schema.properties[name] ?? {}, valueAt(name), required)
    if (found === undefined) return undefined
    return 'bound' in found ? t[found.rule](found.bound) : t[found.rule]
  }
  function begin(): void {
    setValues({})
    setLeft(new Set())
    setRefused(undefined)
    setFailure(undefined)
  }

  /** Forgets the values that were saved. Values that were typed meanwhile stay. */
  function forget(saved: Values): void {
    setValues((now) =>
      Object.fromEntries(Object.entries(now).filter(([name, value]) => saved[name] !== value)),
    )
    setLeft(new Set())
  }

  return {
    fields,
    dirty: Object.keys(changed).length > 0,
    busy,
    failure,
    valueAt,
    errorOf: (name) => (refused?.name === name ? refused.text : left.has(name) ? problem(name) : undefined),
    change(name, value) {
      setValues({ ...typed, [name]: value })
      if (refused?.name === name) setRefused(undefined)
    },
    leave: (name) => setLeft(new Set([...left, name])),
    discard: begin,
    async submit() {
      setLeft(new Set(fields))
      setRefused(undefined)
      setFailure(undefined)
      const invalid = fields.find((name) => problem(name) !== undefined)
      if (invalid !== undefined) return focus(invalid)
      setBusy(true)
      try {
        const tidied = Object.entries(changed).map(([name, value]) => [name, tidy(name, value)])
        if ((await send(Object.fromEntries(tidied))) !== 'kept') forget(changed)
      } catch (error) {
        const about = refusedField(error, fields)
        if (about === undefined) setFailure(error)
        else {
          setRefused(about)
          focus(about.name)
        }
      }
      setBusy(false)
    },
  }
}

/** A value without the white space that people paste along. */
function tidy(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => String(item).trim()).filter((item) => item !== '')
  if (typeof value !== 'string') return value
  return name === 'scope' ? value.trim().replaceAll(/\s+/g, ' ') : value
}

/** Whether two values of a form mean the same. */
export function isSame(one: unknown, other: unknown): boolean {
  return (isEmpty(one) && isEmpty(other)) || JSON.stringify(one) === JSON.stringify(other)
}

/** A refusal's description begins with the field that it is about, such as `redirect_uris[2] must be…` or `issuer: the metadata…`. */
function refusedField(error: unknown, fields: readonly string[]): Refused | undefined {
  if (!(error instanceof ApiError)) return undefined
  const [, name = '', item, rest = ''] = /^(\w+)(?:\[(\d+)\])?:? (.*)$/s.exec(error.message) ?? []
  if (!fields.includes(name)) return undefined
  return { name, text: item === undefined ? rest : `${Number(item) + 1}: ${rest}` }
}

/** Puts the focus on a field, which may come into sight only now. */
function focus(name: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`)?.focus())
}
