import { Button, Checkbox, Group, MultiSelect, TextInput } from '@mantine/core'
import { RowsEditor } from '../form/rows-editor.tsx'
import { useTexts } from '../texts/language.ts'
import classes from './resources.module.css'
import { roleTexts } from './role-texts.ts'
import { newRole, type Role, type RoleProblem, roleProblems } from './roles.ts'
import { resourceTexts } from './texts.ts'

/** The most roles that a resource server may have. */
const most = 200

/**
 * The roles of a resource server, each with the scopes that it gives.
 * @param scopes those of the resource server
 * @param checked whether to show what is wrong
 */
export function RolesEditor({
  rows,
  scopes,
  checked,
  onChange,
}: {
  rows: readonly Role[]
  scopes: readonly string[]
  checked: boolean
  onChange(rows: readonly Role[]): void
}) {
  const t = useTexts(roleTexts)
  const { labels } = useTexts(resourceTexts)
  const problems = checked ? roleProblems(rows) : []
  return (
    <RowsEditor
      legend={labels.roles}
      text={t.rolesText}
      rows={rows}
      most={most}
      newRow={newRole}
      add={t.addRole}
      onChange={onChange}
      editor={({ row, at, onChange: change, onRemove }) => (
        <Row
          row={row}
          scopes={scopes}
          number={at + 1}
          problem={problems[at]}
          onChange={(changed) => change({ ...row, ...changed })}
          onRemove={onRemove}
        />
      )}
    />
  )
}

function Row({
  row: { name, description, scopes: given, organizations_may_give: mayGive },
  scopes,
  number,
  problem,
  onChange,
  onRemove,
}: {
  row: Role
  scopes: readonly string[]
  number: number
  problem: RoleProblem | undefined
  onChange(change: Partial<Role>): void
  onRemove(): void
}) {
  const t = useTexts(roleTexts)
  const { remove } = useTexts(resourceTexts)
  const faults = { missing: t.roleMissing, twice: t.roleTwice, invalid: t.roleInvalid }
  return (
    <div className={classes.role}>
      <div className={classes.words}>
        <TextInput
          label={t.role}
          placeholder="editor"
          value={name}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
          error={problem && faults[problem]}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextInput
          label={t.roleWords}
          placeholder={t.roleWordsExample}
          value={description}
          onChange={({ currentTarget }) => onChange({ description: currentTarget.value })}
          maxLength={200}
          autoComplete="off"
        />
      </div>
      <MultiSelect
        label={t.roleScopes}
        data={[...scopes]}
        value={[...given]}
        onChange={(chosen) => onChange({ scopes: chosen })}
        searchable
        mt="xs"
      />
      <Checkbox
        label={t.roleMayGive}
        checked={mayGive}
        onChange={({ currentTarget }) => onChange({ organizations_may_give: currentTarget.checked })}
        mt="xs"
      />
      <Group justify="flex-end" mt="xs">
        <Button
          variant="subtle"
          color="red"
          size="xs"
          onClick={onRemove}
          aria-label={`${remove}: ${name || number}`}
        >
          {remove}
        </Button>
      </Group>
    </div>
  )
}
