import type { MappingRule } from '@gatehouse/admin-api/generated/openapi'
import { Autocomplete, Button, Fieldset, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { RowsEditor } from '../form/rows-editor.tsx'
import { attributeNames } from '../names/attribute-names.ts'
import { useTexts } from '../texts/language.ts'
import { newRule, type Target, targetOf, targets, withTarget } from './mapping-rules.ts'
import { GroupInput, RoleInput } from './mapping-targets.tsx'
import { mappingTexts } from './texts/mapping.ts'

/** The most rules that a mapping may have. */
const most = 100

/** The attributes of users that a mapping may set: an address is only taken when a user is created. */
const userAttributes = attributeNames.filter((name) => !name.startsWith('email'))

type RowProps = {
  rule: MappingRule
  organization: string | undefined
  number: number
  checked: boolean
  onChange(rule: MappingRule): void
  onRemove(): void
}

/**
 * The rules of a mapping.
 * @param organization the one whose groups they give, and attributes of whose members they set; undefined for the instance
 * @param checked whether to show what is missing
 */
export function MappingEditor({
  rows,
  organization,
  checked,
  onChange,
}: {
  rows: readonly MappingRule[]
  organization: string | undefined
  checked: boolean
  onChange(rows: readonly MappingRule[]): void
}) {
  const t = useTexts(mappingTexts)
  return (
    <RowsEditor
      legend={t.legend}
      text={t.text}
      rows={rows}
      most={most}
      newRow={newRule}
      add={t.add}
      onChange={onChange}
      editor={({ row, at, onChange: change, onRemove }) => (
        <Row {...{ organization, checked, onRemove }} rule={row} number={at + 1} onChange={change} />
      )}
    />
  )
}

function Row({ rule, organization, number, checked, onChange, onRemove }: RowProps) {
  const t = useTexts(mappingTexts)
  const { claim, value, to } = rule
  const missing = (text: string | undefined) => checked && text?.trim() === '' && t.missing
  const target = targetOf(rule)
  const change = (changed: Partial<MappingRule>) => onChange({ ...rule, ...changed })
  return (
    <Fieldset legend={t.rule(String(number))} variant="filled">
      <Stack gap="xs">
        <Group align="flex-start" grow preventGrowOverflow={false} wrap="wrap">
          <TextInput
            label={t.claim}
            description={t.claimText}
            value={claim}
            onChange={({ currentTarget }) => change({ claim: currentTarget.value })}
            error={missing(claim)}
            {...plain}
          />
          {value !== undefined && (
            <TextInput
              label={t.value}
              description={t.valueText}
              value={value}
              onChange={({ currentTarget }) => change({ value: currentTarget.value })}
              error={missing(value)}
              {...plain}
            />
          )}
        </Group>
        <Group align="flex-start" grow preventGrowOverflow={false} wrap="wrap">
          <NativeSelect
            label={t.target}
            value={target}
            onChange={({ currentTarget }) => onChange(withTarget(rule, currentTarget.value as Target))}
            data={targets.map((one) => ({ value: one, label: t.targets[one] }))}
          />
          {target === 'attribute' && (
            <Autocomplete
              label={t.attribute}
              description={t.attributeText}
              data={organization === undefined ? userAttributes : []}
              value={to.attribute ?? ''}
              onChange={(attribute) => change({ to: { attribute } })}
              error={missing(to.attribute)}
              {...plain}
            />
          )}
          {target === 'group' && (
            <GroupInput
              organization={organization}
              value={to.group ?? ''}
              error={missing(to.group)}
              onChange={(group) => change({ to: { group } })}
            />
          )}
          {target === 'role' && (
            <RoleInput
              resource={to.resource ?? ''}
              role={to.role ?? ''}
              missing={missing}
              onChange={(role) => change({ to: role })}
            />
          )}
        </Group>
        <Group justify="flex-end">
          <Button
            variant="subtle"
            color="red"
            size="xs"
            onClick={onRemove}
            aria-label={`${t.remove}: ${claim || number}`}
          >
            {t.remove}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}

const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, miw: '12rem' } as const
