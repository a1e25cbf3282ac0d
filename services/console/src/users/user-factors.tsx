import type { Factor, User } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Button, Group, Loader, Paper, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useAct } from '../actions/act.ts'
import { type Question, useConfirmation } from '../actions/confirm.tsx'
import { Time } from '../activity/cells.tsx'
import { read } from '../api.ts'
import { Failure } from '../parts/failure.tsx'
import { Moment } from '../parts/moment.tsx'
import { Scrollable } from '../parts/scrollable.tsx'
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
  const { data, error, refetch } = useQuery(
    read('/admin/api/users/{user_id}/factors', atUser(user.user_id).params),
  )
  const questionOf = (factor: Factor, name: string): Question => ({
    title: t.removeTitle(name, user.username),
    consequences: t.removeEnds,
    action: t.remove,
    perform: () => act(() => removeFactor(user.user_id, factor.factor_id), t.removed(name)),
  })
  const any = (data?.items.length ?? 0) > 0
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {t.factors}
        </Title>
        {any && mayChange(user) && (
          <Button color="red" variant="light" size="xs" onClick={() => ask(removeFactors)}>
            {t.reset}
          </Button>
        )}
      </Group>
      {error && !data && <Failure error={error} retry={refetch} />}
      {!error && !data && <Loader size="sm" />}
      {data && !any && <Text size="sm">{t.noFactors}</Text>}
      {data && any && (
        <>
          <FactorTable
            factors={data.items}
            onRemove={mayChange(user) ? (factor, name) => ask(questionOf(factor, name)) : undefined}
          />
          <Text size="sm" c="dimmed" mt="sm">
            {t.recoveryCodes(data.recovery_codes_left)}
          </Text>
        </>
      )}
      {dialog}
    </Paper>
  )
}

function FactorTable({
  factors,
  onRemove,
}: {
  factors: readonly Factor[]
  /** Absent for administrators who may not remove factors. */
  onRemove: ((factor: Factor, name: string) => void) | undefined
}) {
  const t = useTexts(securityTexts)
  // The API has an English name for the app.
  const nameOf = ({ kind, name }: Factor) => (kind === 'totp' ? t.kinds.totp : name)
  return (
    <Scrollable label={t.factors}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {[t.factor, t.kind, t.enrolled, t.lastUsed].map((label) => (
              <Table.Th key={label} style={{ whiteSpace: 'nowrap' }}>
                {label}
              </Table.Th>
            ))}
            {onRemove && <Table.Td />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {factors.map((factor) => (
            <Table.Tr key={factor.factor_id}>
              <Table.Td>{nameOf(factor)}</Table.Td>
              <Table.Td>
                <Group gap="xs">
                  {t.kinds[factor.kind]}
                  {factor.backed_up && <Badge variant="default">{t.backedUp}</Badge>}
                </Group>
              </Table.Td>
              <Table.Td>
                <Time at={factor.created_at} />
              </Table.Td>
              <Table.Td>
                <Moment at={factor.last_used_at} />
              </Table.Td>
              {onRemove && (
                <Table.Td ta="end">
                  <Button
                    color="red"
                    variant="subtle"
                    size="xs"
                    aria-label={t.removeNamed(nameOf(factor))}
                    onClick={() => onRemove(factor, nameOf(factor))}
                  >
                    {t.remove}
                  </Button>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  )
}
