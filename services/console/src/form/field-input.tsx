import { Checkbox, MultiSelect, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { type FieldSchema, inputKind } from './schema.ts'
import { formTexts } from './texts.ts'

/** The properties of inputs of every kind. */
type Input = {
  name: string
  label: string
  description?: string
  error?: string
  required: boolean
  /** Whether the server has a value of its own while there is none. */
  hasDefault: boolean
  value: unknown
  onChange(value: unknown): void
  onBlur(): void
}

/** The input for a field, by its schema. An empty input gives undefined. */
export function FieldInput({ schema, ...input }: Input & { schema: FieldSchema }) {
  const t = useTexts(formTexts)
  const common = useTexts(commonTexts)
  const { value, onChange, ...shared } = {
    ...input,
    withAsterisk: input.required,
    required: undefined,
    hasDefault: undefined,
  }
  switch (inputKind(schema)) {
    case 'boolean':
      return input.hasDefault ? (
        <NativeSelect
          {...shared}
          value={value === undefined || value === null ? '' : String(value)}
          onChange={({ currentTarget: { value: word } }) =>
            onChange(word === '' ? undefined : word === 'true')
          }
          data={[
            { value: '', label: t.byDefault },
            { value: 'true', label: common.yes },
            { value: 'false', label: common.no },
          ]}
        />
      ) : (
        <Checkbox
          {...withoutAsterisk(shared)}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      )
    case 'integer':
      return (
        <NumberInput
          {...shared}
          value={(value as number | undefined) ?? ''}
          onChange={(number) => onChange(number === '' ? undefined : number)}
          allowDecimal={false}
          hideControls
        />
      )
    case 'choice':
      return (
        <NativeSelect
          {...shared}
          value={(value as string | undefined) ?? ''}
          onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
          data={[
            ...(input.required ? [] : [{ value: '', label: t.byDefault }]),
            ...(schema.enum ?? []).filter((word) => word !== null),
          ]}
        />
      )
    case 'choices':
      return (
        <MultiSelect
          {...shared}
          data={(schema.items?.enum ?? []).filter((word) => word !== null)}
          value={(value as string[] | undefined) ?? []}
          onChange={onChange}
        />
      )
    case 'texts':
      return (
        <Textarea
          {...shared}
          description={[shared.description, t.onePerLine].filter(Boolean).join(' ')}
          autosize
          minRows={2}
          value={((value as string[] | undefined) ?? []).join('\n')}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === '' ? [] : currentTarget.value.split('\n'))
          }
        />
      )
    default:
      return (
        <TextInput
          {...shared}
          type={schema.format === 'password' ? 'password' : 'text'}
          value={(value as string | undefined) ?? ''}
          onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        />
      )
  }
}

function withoutAsterisk<Shared extends { withAsterisk: boolean }>({ withAsterisk: _, ...shared }: Shared) {
  return shared
}
