import type { User, UserChange, UserSummary } from '@gatehouse/admin-api/generated/openapi'
import { useAct } from '../actions/act.ts'
import type { Action, Disabling } from '../actions/action.ts'
import type { Question } from '../actions/confirm.tsx'
import { loginTexts } from '../activity/texts/login.ts'
import { readOnce } from '../api.ts'
import { useTexts } from '../texts/language.ts'
import {
  atUser,
  changeUser,
  resetFactors,
  revokeUserTokens,
  sendUserMail,
  undoChange,
  unlockUser,
} from './requests.ts'
import { securityTexts } from './texts/security.ts'
import { userTexts } from './texts/texts.ts'

/** How users are disabled and enabled. */
export function useUserDisabling(): Disabling<UserSummary> {
  const t = useTexts(userTexts)
  return {
    ...t,
    change: ({ user_id: id }, disabled) => changeUser(id, { disabled }),
    read: ({ user_id: id }) => readOnce('/admin/api/users/{user_id}', atUser(id).params),
  }
}

/** Revokes all tokens of users. */
export function useUserRevocation(): Action<UserSummary> {
  const t = useTexts(userTexts)
  return {
    label: t.revoke,
    color: 'red',
    title: t.revokeTitle,
    consequences: t.revokeEnds,
    perform: ({ user_id: id }) => revokeUserTokens(id),
    done: t.revoked,
    doneAll: t.revokedAll,
  }
}

/** The actions on a user that several places offer. */
export function useUserActions({ user_id: id, username, email = '' }: User) {
  const security = useTexts(securityTexts)
  const login = useTexts(loginTexts)
  const { act, isPending } = useAct()
  const change = (wanted: UserChange, words: string, before: UserChange) =>
    act(
      () => changeUser(id, wanted),
      words,
      () => undoChange(id, wanted, before),
    )
  const removeFactors: Question = {
    title: security.resetTitle(username),
    consequences: security.resetEnds,
    action: security.reset,
    perform: () => act(() => resetFactors(id), security.factorsReset(username)),
  }
  return {
    isPending,
    removeFactors,
    verifyAddress: () => change({ email_verified: true }, login.verified(email), { email_verified: false }),
    unlock: () => act(() => unlockUser(id), login.unlocked(username)),
    sendResetMail: () => act(() => sendUserMail(id, 'password_reset'), security.resetMailSent(email)),
    sendConfirmationMail: () => act(() => sendUserMail(id, 'address'), security.confirmationMailSent(email)),
  }
}
