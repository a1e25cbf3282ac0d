import { api, dataOf } from '../api.ts'

/** The parameters of a request about a mail. */
export const atMail = (mailId: string) => ({ params: { path: { mail_id: mailId } } })

/** Sends a mail again that has failed. */
export function retryMail(mailId: string) {
  return dataOf(api.POST('/admin/api/mails/{mail_id}/retry', atMail(mailId)))
}
