import { Button, Group, Input, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { OwnInput } from '../../form/schema-form.tsx'
import { useTexts } from '../../texts/language.ts'
import { canCompute, type PublicJwk, thumbprintOf } from './jwk.ts'
import { keyTexts } from './key-texts.ts'
import { useKeyDialogs } from './use-key-dialogs.tsx'

type KeySet = { keys: readonly PublicJwk[] }

/** The input of a form for the public keys of a client. Without a key its value is undefined. */
export function KeySetInput({ label, description, error, value, valueAt, onChange }: OwnInput) {
  const t = useTexts(keyTexts)
  const { keys } = (value as KeySet | undefined) ?? { keys: [] }
  const { buttons, dialog } = useKeyDialogs(valueAt('token_endpoint_auth_method'), async (more) => {
    onChange({ keys: [...keys, ...more] })
    return true
  })
  return (
    <Input.Wrapper
      component="fieldset"
      label={label}
      labelElement="div"
      description={description}
      error={error}
    >
      <Stack gap="xs" mt="xs" align="flex-start">
        {keys.length === 0 && (
          <Text size="sm" c="dimmed">
            {t.none} {t.needed}
          </Text>
        )}
        {keys.map((key, index) => (
          <OneKey
            key={JSON.stringify(key)}
            jwk={key}
            name={t.keyName(String(index + 1))}
            onRemove={() => {
              const rest = keys.filter((other) => other !== key)
              onChange(rest.length === 0 ? undefined : { keys: rest })
            }}
          />
        ))}
        <Group gap="xs">{buttons}</Group>
      </Stack>
      {dialog}
    </Input.Wrapper>
  )
}

function OneKey({ jwk, name, onRemove }: { jwk: PublicJwk; name: string; onRemove(): void }) {
  const t = useTexts(keyTexts)
  const { data } = useQuery({
    queryKey: ['thumbprint', jwk],
    queryFn: () => (canCompute() ? thumbprintOf(jwk) : ''),
  })
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }} dir="ltr">
        {data || name}
      </Text>
      <Button
        variant="subtle"
        color="red"
        size="xs"
        aria-label={`${t.remove}: ${data || name}`}
        onClick={onRemove}
      >
        {t.remove}
      </Button>
    </Group>
  )
}
