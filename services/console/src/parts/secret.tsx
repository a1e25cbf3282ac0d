import { Alert, Text } from '@mantine/core'
import { CopyableCode } from './copy.tsx'

/** A secret that is shown once. */
export function Secret({ title, text, secret }: { title: string; text: string; secret: string }) {
  return (
    <Alert color="yellow" title={title} role="status">
      <Text size="sm" mb="xs">
        {text}
      </Text>
      <CopyableCode value={secret} label={title} />
    </Alert>
  )
}
