import { Button, Group, Text } from '@mantine/core'
import { useAct } from '../actions/act.ts'
import { type Question, useConfirmation } from '../actions/confirm.tsx'
import { Panel } from '../parts/panel.tsx'

/**
 * A setting of a resource server that is on or off, with a button that changes it. Neither direction can be undone: one of them ends tokens.
 * @param question asked first where the change ends tokens
 * @param notice said when it is done
 */
export function SwitchPanel({
  title,
  text,
  action,
  question,
  perform,
  notice,
}: {
  title: string
  text: string
  action: string
  question: Pick<Question, 'title' | 'consequences'> | undefined
  perform(): Promise<unknown>
  notice: string
}) {
  const { act, isPending } = useAct()
  const { ask, dialog } = useConfirmation()
  const change = () => act(perform, notice)
  return (
    <Panel title={title}>
      <Group justify="space-between">
        <Text size="sm" maw={560}>
          {text}
        </Text>
        <Button
          variant={question ? 'light' : 'default'}
          color={question && 'red'}
          loading={isPending}
          onClick={() => (question ? ask({ ...question, action, perform: change }) : void change())}
        >
          {action}
        </Button>
      </Group>
      {dialog}
    </Panel>
  )
}
