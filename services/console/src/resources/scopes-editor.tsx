import { Button, Text, TextInput } from '@mantine/core'
import { RowsEditor } from '../form/rows-editor.tsx'
import { useTexts } from '../texts/language.ts'
import classes from './resources.module.css'
import { filledScopes, type Scope, type ScopeProblem, scopeProblems } from './scopes.ts'
import { resourceTexts } from './texts.ts'

/** The most scopes that a resource server may have. */
const most = 50

/**
 * The scopes of a resource server, each with words for the consent page.
 * @param checked whether to show what is wrong
 */
export function ScopesEditor({
  rows,
  checked,
  onChange,
}: {
  rows: readonly Scope[]
  checked: boolean
  onChange(rows: readonly Scope[]): void
}) {
  const t = useTexts(resourceTexts)
  const problems = checked ? scopeProblems(rows) : []
  return (
    <RowsEditor
      legend={t.labels.scopes}
      text={t.scopesText}
      rows={rows}
      most={most}
      newRow={{ scope: '', description: '' }}
      add={t.addScope}
      onChange={onChange}
      editor={({ row, at, onChange: change, onRemove }) => (
        <Row
          row={row}
          number={at + 1}
          problem={problems[at]}
          onChange={change}
          onRemove={rows.length > 1 ? onRemove : undefined}
        />
      )}
    >
      {checked && filledScopes(rows).length === 0 && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {t.scopesNeeded}
        </Text>
      )}
    </RowsEditor>
  )
}

function Row({
  row: { scope, description },
  number,
  problem,
  onChange,
  onRemove,
}: {
  row: Scope
  number: number
  problem: ScopeProblem | undefined
  onChange(row: Scope): void
  onRemove: (() => void) | undefined
}) {
  const t = useTexts(resourceTexts)
  return (
    <div className={classes.scope}>
      <TextInput
        label={t.scope}
        placeholder="orders:read"
        value={scope}
        onChange={({ currentTarget }) => onChange({ scope: currentTarget.value, description })}
        error={problem?.scope && (problem.scope === 'twice' ? t.scopeTwice : t.scopeMissing)}
        maxLength={100}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextInput
        label={t.scopeWords}
        placeholder={t.scopeWordsExample}
        value={description}
        onChange={({ currentTarget }) => onChange({ scope, description: currentTarget.value })}
        error={problem?.description && t.wordsMissing}
        maxLength={200}
        autoComplete="off"
      />
      <Button
        className={classes.remove}
        variant="subtle"
        color="red"
        disabled={onRemove === undefined}
        onClick={onRemove}
        aria-label={`${t.remove}: ${scope || number}`}
      >
        {t.remove}
      </Button>
    </div>
  )
}
