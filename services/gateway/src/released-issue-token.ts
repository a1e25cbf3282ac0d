import { type Refusal, toRefusal } from '@gatehouse/kit/errors'
import type { IssuedToken, IssueTokenRequest } from '@gatehouse/proto/token/v1'

/**
 * Issues the tokens of a batch one by one: during an upgrade, the token service of 0.5.0 knows no batches for users.
 * @param issue makes the call for one of them
 */
export function issueByReleasedCalls(
  items: readonly IssueTokenRequest[],
  issue: (item: IssueTokenRequest) => Promise<IssuedToken>,
): Promise<(IssuedToken | Refusal)[]> {
  return Promise.all(items.map((item) => issue(item).catch(toRefusal)))
}
