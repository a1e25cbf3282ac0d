import { Badge } from '@mantine/core'

/** Whether something is as it should be, in words. */
export function Condition({ good, words }: { good: boolean; words: string }) {
  return <Badge color={good ? 'teal' : 'red'}>{words}</Badge>
}
