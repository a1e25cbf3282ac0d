import type { CallOptions, RpcClient, Service } from '@gatehouse/kit/rpc-client'
import type { TokenService } from '../token-service.ts'
import { responseOf, unlessFailed } from './failed-batch.ts'
import type { Guard } from './guard.ts'

/**
 * The RPCs that may be made again when they fail, though they may have been done: what only reads, and those of which a lost
 * answer leaves a token, a code or an authorization request that nobody knows. Not the other grants: they redeem what is good
 * for once.
 */
const repeatable = /^((get|list|lookup|introspect)[A-Z]|(issueTokens|beginAuthorization)$)/

/**
 * A client of which every call goes through the guard.
 * @param timeoutMs how long a call may take, in milliseconds, where it does not say itself
 */
export function guardedClient<S extends Service>(
  client: RpcClient<S>,
  guard: Guard,
  timeoutMs: number,
): RpcClient<S> {
  const calls = Object.entries(client as Record<string, Call>).map(([name, call]) => {
    const mayRepeat = repeatable.test(name)
    const guarded: Call = (request, { deadline = Date.now() + timeoutMs, ...options } = {}) => {
      const attempt = async (deadline: number) => unlessFailed(await call(request, { ...options, deadline }))
      return guard.run(attempt, deadline, mayRepeat).catch(responseOf)
    }
    return [name, guarded]
  })
  return { ...Object.fromEntries(calls), close: () => client.close() }
}

type Call = (request: unknown, options?: CallOptions) => Promise<unknown>

/**
 * The token service with what its shared calls do not show: a request is refused before it waits for a call that would
 * be refused.
 * @param tokens over a guarded client
 */
export function guardedItems(tokens: TokenService, { admit }: Guard): TokenService {
  const guarded =
    <Item, Result>(share: (item: Item) => Promise<Result>) =>
    async (item: Item): Promise<Result> => {
      admit()
      return share(item)
    }
  return { ...tokens, issue: guarded(tokens.issue), introspect: guarded(tokens.introspect) }
}
