import type { AuditEntry } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Facts } from '../parts/facts.tsx'
import { PageLink } from '../parts/named.tsx'
import { exactTime } from '../parts/time.ts'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { Actor } from './actor.tsx'
import { Browser } from './cells.tsx'
import { Changes } from './changes.tsx'
import { differencesOf } from './differences.ts'
import { TargetLink } from './target.tsx'
import { actionTexts } from './texts/action.ts'
import { activityTexts } from './texts/texts.ts'

/** How many fields a row names. */
const named = 2

/** The fields that an action changed: their names, and a button that shows their values. */
export function EntryChanges({ entry }: { entry: AuditEntry }) {
  const t = useTexts(activityTexts)
  const { language } = useLanguage()
  const [opened, setOpened] = useState(false)
  const fields = differencesOf(entry.before, entry.after).map(({ field }) => field)
  const rest = fields.length - named
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between">
      <Text size="sm" c="dimmed">
        <bdi>{fields.slice(0, named).join(', ')}</bdi>
        {rest > 0 && `, ${t.more(rest.toLocaleString(language))}`}
      </Text>
      <Button variant="default" size="compact-xs" flex="none" onClick={() => setOpened(true)}>
        {t.whatChanged}
      </Button>
      <Details entry={entry} opened={opened} onClose={() => setOpened(false)} />
    </Group>
  )
}

function Details({ entry, opened, onClose }: { entry: AuditEntry; opened: boolean; onClose(): void }) {
  const t = useTexts(activityTexts)
  const common = useTexts(commonTexts)
  const actions = useTexts(actionTexts)
  const { language } = useLanguage()
  const { actor, action, target, time, before, after } = entry
  const audit = { tab: 'audit' }
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={actions[action] ?? action}
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <Stack>
        <Facts
          facts={[
            [t.time, exactTime(new Date(time), language)],
            [t.who, <Actor key="actor" actor={actor} />],
            [t.ipAddress, actor.ip_address],
            [t.browser, <Browser key="browser" userAgent={actor.user_agent ?? ''} />],
            [t.target, target && <TargetLink key="target" entry={entry} />],
          ]}
        />
        <div>
          <Changes before={before} after={after} />
        </div>
        <Group>
          <PageLink to="/activity" search={{ ...audit, actor_id: actor.id } as never} onClick={onClose}>
            {t.allBy(actor.name || actor.id)}
          </PageLink>
          {target && (
            <PageLink to="/activity" search={{ ...audit, target } as never} onClick={onClose}>
              {t.allOn}
            </PageLink>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
