import type { User, UserChange } from '@gatehouse/admin-api/generated/openapi'
import { useAct } from '../parts/act.ts'
import type { Question } from '../parts/confirm.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { loginTexts } from './login-texts.ts'
import { changeUser, resetFactors, sendUserMail, undoChange } from './requests.ts'
import { securityTexts } from './security-texts.ts'
import { userTexts } from './texts.ts'

/** What several places offer for a user. */
export function useUserActions({ user_id: id, username, email = '' }: User) {
  const t = useTexts(userTexts)
  const common = useTexts(commonTexts)
  const security = useTexts(securityTexts)
  const login = useTexts(loginTexts)
  const { act, isPending } = useAct()
  const change = (wanted: UserChange, words: string, before: UserChange) =>
    act(
      () => changeUser(id, wanted),
      words,
      () => undoChange(id, wanted, before),
    )
  const disable: Question = {
    title: `${common.disable}: ${username}`,
    consequences: t.disableEnds,
    action: common.disable,
    perform: () => change({ disabled: true }, t.disabledNotice(username), { disabled: false }),
  }
  const removeFactors: Question = {
    title: security.resetTitle(username),
    consequences: security.resetEnds,
    action: security.reset,
    perform: () => act(() => resetFactors(id), security.factorsReset(username)),
  }
  return {
    isPending,
    disable,
    removeFactors,
    enable: () => change({ disabled: false }, t.enabledNotice(username), { disabled: true }),
    verifyAddress: () => change({ email_verified: true }, login.verified(email), { email_verified: false }),
    sendResetMail: () => act(() => sendUserMail(id, 'password_reset'), security.resetMailSent(email)),
    sendConfirmationMail: () => act(() => sendUserMail(id, 'address'), security.confirmationMailSent(email)),
  }
}
