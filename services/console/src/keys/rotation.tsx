import type { SigningKey } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, List, Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../actions/act.ts'
import { useConfirmation } from '../actions/confirm.tsx'
import { Moment } from '../parts/moment.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { rotateKey } from './requests.ts'
import { keyTexts } from './texts.ts'

type Algorithm = SigningKey['algorithm']

/** The effects of a rotation, a sentence each. */
function useEffects(algorithm: Algorithm) {
  const t = useTexts(keyTexts)
  return algorithm === 'HS256'
    ? { planned: t.plannedDerived, immediately: t.immediatelyDerived, done: t.rotated }
    : { planned: t.plannedPair, immediately: t.immediatelyPair, done: t.staged }
}

/** Asks before all keys of an algorithm are withdrawn. */
export function useWithdrawal(algorithm: Algorithm) {
  const t = useTexts(keyTexts)
  const { act } = useAct()
  const { ask, dialog } = useConfirmation()
  const { immediately } = useEffects(algorithm)
  const askToWithdraw = () =>
    ask({
      title: t.withdrawTitle(algorithm),
      consequences: immediately,
      action: t.withdraw,
      typed: algorithm,
      perform: () => act(() => rotateKey({ algorithm, immediately: true }), t.withdrawn(algorithm)),
    })
  return { askToWithdraw, dialog }
}

/** Rotates the key of an algorithm as planned. When somebody else may know it, the next question is whether to withdraw it. */
export function Rotation({
  algorithm,
  keys,
  onClose,
  onWithdraw,
}: {
  algorithm: Algorithm
  keys: readonly SigningKey[]
  onClose(): void
  onWithdraw(): void
}) {
  const t = useTexts(keyTexts)
  const common = useTexts(commonTexts)
  const { act, isPending } = useAct()
  const effects = useEffects(algorithm)
  const staged = keys.find(({ state }) => state === 'staged')
  const [how, setHow] = useState<'planned' | 'immediately'>(staged ? 'immediately' : 'planned')
  async function rotate() {
    if (how === 'immediately') onWithdraw()
    else if (await act(() => rotateKey({ algorithm }), effects.done)) onClose()
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={t.rotateTitle(algorithm)}
      centered
      size="lg"
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <Stack>
        <Radio.Group
          label={t.known}
          value={how}
          onChange={(chosen) => setHow(chosen === 'immediately' ? chosen : 'planned')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="planned" label={t.planned} disabled={staged !== undefined} />
            <Radio value="immediately" label={t.immediately} />
          </Stack>
        </Radio.Group>
        {staged && (
          <Text size="sm" c="dimmed">
            {t.alreadyStaged} {t.signsFrom}: <Moment at={staged.activates_at} />
          </Text>
        )}
        <List size="sm" spacing="xs" aria-live="polite">
          {effects[how].map((effect) => (
            <List.Item key={effect}>{effect}</List.Item>
          ))}
        </List>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button
            color={how === 'immediately' ? 'red' : undefined}
            onClick={() => void rotate()}
            loading={isPending}
          >
            {how === 'immediately' ? t.goOn : t.rotate}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
