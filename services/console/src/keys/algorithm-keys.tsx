import type { SigningKey } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CopyableCode } from '../parts/copy.tsx'
import { Moment } from '../parts/moment.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import classes from './keys.module.css'
import { Rotation, useWithdrawal } from './rotation.tsx'
import { keyTexts } from './texts.ts'

/** The keys of one algorithm, what they sign, and their rotation. */
export function AlgorithmKeys({
  algorithm,
  keys,
}: {
  algorithm: SigningKey['algorithm']
  keys: readonly SigningKey[]
}) {
  const t = useTexts(keyTexts)
  const common = useTexts(commonTexts)
  const { language } = useLanguage()
  const mayWrite = useMay()('keys', 'write')
  const [rotating, setRotating] = useState(false)
  const { askToWithdraw, dialog } = useWithdrawal(algorithm)
  const kinds = (keys[0]?.signs ?? []).map((kind) => t.kinds[kind])
  const signs = kinds.length > 0
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={`keys-${algorithm}`}>
      <Group justify="space-between" mb="sm">
        <div>
          <Title order={2} size="h4" id={`keys-${algorithm}`}>
            {algorithm}
          </Title>
          <Text size="sm" c="dimmed">
            {signs ? t.signs(new Intl.ListFormat(language).format(kinds)) : t.signsNothing}
          </Text>
        </div>
        {mayWrite && signs && (
          <Button variant="default" size="xs" onClick={() => setRotating(true)}>
            {t.rotate}
          </Button>
        )}
      </Group>
      <ul className={classes.keys} aria-label={t.keysOf(algorithm)}>
        {keys.map((key) => (
          <li key={key.kid} className={classes.key}>
            <div>
              <CopyableCode value={key.kid} label={t.kid} />
              {key.kid === 'default' && (
                <Text size="xs" c="dimmed">
                  {t.defaultKey}
                </Text>
              )}
            </div>
            <KeyState keyInUse={key} />
            <Text size="xs" c="dimmed" component="div">
              {common.created}: <Moment at={key.created_at} />
            </Text>
          </li>
        ))}
      </ul>
      {rotating && (
        <Rotation
          algorithm={algorithm}
          keys={keys}
          onClose={() => setRotating(false)}
          onWithdraw={() => {
            setRotating(false)
            askToWithdraw()
          }}
        />
      )}
      {dialog}
    </Paper>
  )
}

/** The meaning of a key's state, and the time of its next change. */
function KeyState({ keyInUse: { state, signs, ...key } }: { keyInUse: SigningKey }) {
  const t = useTexts(keyTexts)
  const words: Record<SigningKey['state'], ReactNode> = {
    staged: (
      <>
        {t.stagedText}
        <br />
        {t.signsFrom}: <Moment at={key.activates_at} />
      </>
    ),
    active: signs.length > 0 ? t.activeText : t.idleText,
    retiring: (
      <>
        {t.retiringText}
        <br />
        {t.verifiesUntil}: <Moment at={key.verifies_until} />
      </>
    ),
  }
  const colors = { staged: 'blue', active: 'teal', retiring: 'gray' }
  return (
    <Stack gap={2} align="flex-start">
      <Badge color={colors[state]}>{t.states[state]}</Badge>
      <Text size="xs" c="dimmed" component="div">
        {words[state]}
      </Text>
    </Stack>
  )
}
