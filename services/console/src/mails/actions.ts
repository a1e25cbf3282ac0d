import type { Mail } from '@gatehouse/admin-api/generated/openapi'
import type { Action } from '../actions/action.ts'
import { useTexts } from '../texts/language.ts'
import { retryMail } from './requests.ts'
import { mailTexts } from './texts.ts'

/** Sends mails that failed again. */
export function useMailRetry(): Action<Mail> {
  const t = useTexts(mailTexts)
  return {
    label: t.retry,
    // One that was sent, or that waits, is not sent again.
    concerns: ({ state }) => state === 'failed',
    perform: ({ mail_id: id }) => retryMail(id),
    done: () => t.retried,
    doneAll: t.retriedAll,
  }
}
