import { Button, Group, PasswordInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Copy } from '../parts/copy.tsx'
import { useTexts } from '../texts/language.ts'
import { newUserTexts } from './texts/new-user.ts'

/** How many random bytes a generated password has. */
const randomness = 15

/** Whether a password is as long as the API wants it. */
export function isPasswordLong(password: string): boolean {
  const { length } = [...password]
  return length >= 12 && length <= 1024
}

/** A password that an administrator types. @param onGenerate fills it with one that nobody can guess; absent where that makes no sense */
export function PasswordField({
  label,
  value,
  error,
  onChange,
  onGenerate,
}: {
  label: string
  value: string
  error: boolean
  onChange(password: string): void
  onGenerate?(password: string): void
}) {
  const t = useTexts(newUserTexts)
  const [visible, setVisible] = useState(false)
  return (
    <PasswordInput
      name="password"
      label={label}
      description={t.passwordText}
      error={error && t.passwordLength}
      withAsterisk
      autoComplete="new-password"
      value={value}
      visible={visible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t.show }}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      {...(onGenerate && { inputContainer: withButtons })}
    />
  )

  function withButtons(input: ReactNode) {
    return (
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <div style={{ flexGrow: 1 }}>{input}</div>
        {value !== '' && (
          <div style={{ paddingBlockEnd: 5 }}>
            <Copy value={value} label={label} />
          </div>
        )}
        <Button
          variant="default"
          onClick={() => {
            setVisible(true)
            onGenerate?.(generatedPassword())
          }}
        >
          {t.generate}
        </Button>
      </Group>
    )
  }
}

function generatedPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(randomness))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}
