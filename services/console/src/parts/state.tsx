import { Badge } from '@mantine/core'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'

/** Whether something is active or disabled. */
export function State({ disabled }: { disabled: boolean }) {
  const t = useTexts(commonTexts)
  return <Badge color={disabled ? 'red' : 'teal'}>{disabled ? t.disabled : t.active}</Badge>
}
