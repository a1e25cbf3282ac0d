import type { Factor, User } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useAct } from '../actions/act.ts'
import { type Question, useConfirmation } from '../actions/confirm.tsx'
import { Time } from '../activity/cells.tsx'
import { read } from '../api.ts'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { Panel } from '../parts/panel.tsx'
import { RowButton, SmallTable } from '../parts/table/small-table.tsx'
import { useTexts } from '../texts/language.ts'
import { useUserActions } from './actions.ts'
import { atUser, removeFactor } from './requests.ts'
import { useRights } from './rights.ts'
import { securityTexts } from './texts/security.ts'

/** The passkeys and second factors of a user. */
export function UserFactors({ user }: { user: User }) {
  const t = useTexts(securityTexts)
  const { mayChange } = useRights()
  const { removeFactors } = useUserActions(user)
  const { act } = useAct()
  const { ask, dialog } = useConfirmation()
  const query = useQuery(read('/admin/api/users/{user_id}/factors', atUser(user.user_id).params))
  const questionOf = (factor: Factor, name: string): Question => ({
    title: t.removeTitle(name, user.username),
    consequences: t.removeEnds,
    action: t.remove,
    perform: () => act(() => removeFactor(user.user_id, factor.factor_id), t.removed(name)),
  })
  // The API has an English name for the app.
  const nameOf = ({ kind, name }: Factor) => (kind === 'totp' ? t.kinds.totp : name)
  const factors = query.data?.items ?? []
  return (
    <Panel
      title={t.factors}
      actions={
        factors.length > 0 &&
        mayChange(user) && (
          <Button color="red" variant="light" size="xs" onClick={() => ask(removeFactors)}>
            {t.reset}
          </Button>
        )
      }
    >
      <Loading query={query} />
      {query.data && factors.length === 0 && <Text size="sm">{t.noFactors}</Text>}
      {query.data && factors.length > 0 && (
        <>
          <SmallTable
            label={t.factors}
            rows={factors}
            idOf={({ factor_id: id }) => id}
            columns={[
              [t.factor, nameOf],
              [t.kind, (factor) => <Kind factor={factor} />],
              [t.enrolled, ({ created_at: at }) => <Time at={at} />],
              [t.lastUsed, ({ last_used_at: at }) => <Moment at={at} />],
            ]}
            action={
              mayChange(user)
                ? (factor) => (
                    <RowButton
                      label={t.remove}
                      name={t.removeNamed(nameOf(factor))}
                      onClick={() => ask(questionOf(factor, nameOf(factor)))}
                    />
                  )
                : undefined
            }
          />
          <Text size="sm" c="dimmed" mt="sm">
            {t.recoveryCodes(query.data.recovery_codes_left)}
          </Text>
        </>
      )}
      {dialog}
    </Panel>
  )
}

function Kind({ factor: { kind, backed_up: backedUp } }: { factor: Factor }) {
  const t = useTexts(securityTexts)
  return (
    <Group gap="xs">
      {t.kinds[kind]}
      {backedUp && <Badge variant="default">{t.backedUp}</Badge>}
    </Group>
  )
}
