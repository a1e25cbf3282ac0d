import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { MailServiceService } from '@gatehouse/proto/mail/v1'

/** The offers that pages may make: to reset a lost password where mails can be sent, and to sign up where everybody may. */
export type MailOptions = () => Promise<{ mails: boolean; signUp: boolean }>

/** In milliseconds: how long the identity service's answer is kept, and how long a page waits for it. */
const keptFor = 30_000
const patience = 1_000

/**
 * Asks the identity service now and then what pages may offer.
 * @param now milliseconds since the Unix epoch
 * @returns a function that gives it: the last answer while the service is unavailable, and at first nothing
 */
export function createMailOptions(
  mails: Pick<RpcClient<typeof MailServiceService>, 'getMailOptions'>,
  now: () => number,
): MailOptions {
  let known = { mails: false, signUp: false }
  let askAgain = 0
  return async () => {
    if (now() < askAgain) return known
    try {
      known = await mails.getMailOptions({}, { deadline: now() + patience })
      askAgain = now() + keptFor
    } catch {
      // Requests that need mails report by themselves that the service is unavailable.
    }
    return known
  }
}
