import type { LoginProblem, User } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useConfirmation } from '../actions/confirm.tsx'
import { useAction, useDisablingActions } from '../actions/use-action.ts'
import { loginTexts, problemTexts } from '../activity/texts/login.ts'
import { ButtonLink } from '../parts/button-link.tsx'
import { Moment } from '../parts/moment.tsx'
import { useTexts } from '../texts/language.ts'
import { useUserActions, useUserDisabling } from './actions.ts'
import { NewPassword } from './new-password.tsx'
import { useRights } from './rights.ts'
import { securityTexts } from './texts/security.ts'
import classes from './users.module.css'

/** The problems that keep a user from logging in, each with its remedy. */
export function LoginProblemRows({ user, problems }: { user: User; problems: readonly LoginProblem[] }) {
  const { mayChange } = useRights()
  const { solutionOf, dialogs } = useSolutions(user)
  return (
    <>
      {problems.map((problem) => (
        <ProblemRow key={`${problem.code} ${problem.ip_address}`} problem={problem}>
          {mayChange(user) && solutionOf(problem.code)}
        </ProblemRow>
      ))}
      {dialogs}
    </>
  )
}

function ProblemRow({ problem, children }: { problem: LoginProblem; children: ReactNode }) {
  const t = useTexts(loginTexts)
  const words = useTexts(problemTexts)
  const { code, until, ip_address: address } = problem
  const [explanation, remedy] = words[code] ?? [problem.explanation, problem.remedy]
  return (
    <Group className={classes.problem} justify="space-between">
      <div style={{ flex: '1 1 20rem', maxInlineSize: '44rem' }}>
        <Text fw={600}>{explanation}</Text>
        {address && (
          <Text size="sm">
            {t.only} <bdi>{address}</bdi>
          </Text>
        )}
        {until && (
          <Text size="sm">
            {t.until} <Moment at={until} />
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {remedy}
        </Text>
      </div>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  )
}

/** The remedies that an administrator has for login problems, by the codes of the problems. */
function useSolutions(user: User) {
  const t = useTexts(loginTexts)
  const { enable } = useDisablingActions(useUserDisabling())
  const { start, isPending } = useAction()
  const security = useTexts(securityTexts)
  const actions = useUserActions(user)
  const { ask, dialog } = useConfirmation()
  const [settingPassword, setSettingPassword] = useState(false)

  const button = (label: string, perform: () => unknown) => (
    <Button
      key={label}
      variant="light"
      size="xs"
      loading={actions.isPending || isPending}
      onClick={() => void perform()}
    >
      {label}
    </Button>
  )
  const reset = user.email_verified && button(security.resetMail, actions.sendResetMail)
  const password = (
    <>
      {button(security.newPassword, () => setSettingPassword(true))}
      {reset}
    </>
  )
  const factors = button(t.removeFactors, () => ask(actions.removeFactors))
  const address = (
    <ButtonLink key="address" variant="light" size="xs" to="." search={{ tab: 'profile' } as never}>
      {t.toAddress}
    </ButtonLink>
  )
  const solutions: Readonly<Record<string, ReactNode>> = {
    disabled: button(enable.label, () => start(enable, user, user.username)),
    no_credentials: password,
    no_password: password,
    second_factor_unusable: factors,
    too_many_codes: factors,
    too_many_failures: (
      <>
        {button(t.unlock, actions.unlock)}
        {reset}
      </>
    ),
    email_unverified: (
      <>
        {button(security.confirmationMail, actions.sendConfirmationMail)}
        {button(t.verify, actions.verifyAddress)}
      </>
    ),
    email_shared: address,
  }
  return {
    solutionOf: (code: string) => (Object.hasOwn(solutions, code) ? solutions[code] : undefined),
    dialogs: (
      <>
        {dialog}
        <NewPassword user={user} opened={settingPassword} onClose={() => setSettingPassword(false)} />
      </>
    ),
  }
}
