import type { CallOptions, RpcClient, Service } from '@gatehouse/kit/rpc-client'
import { responseOf, unlessFailed } from './failed-batch.ts'
import type { Guard } from './guard.ts'

/**
 * The RPCs that may be repeated although the first call may have taken effect: those that only read, and those that leave
 * at most a token or an authorization request that nobody knows. Not the other grants: they redeem something that works only
 * once.
 */
const repeatable = /^((get|list|lookup|introspect)[A-Z]|(issueTokens|beginAuthorizations?)$)/

/**
 * Wraps a client so that every call goes through the guard.
 * @param timeoutMs how long a call may take, in milliseconds, unless the call has a deadline
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
 * Adds to shared calls what they lack: a request is refused before it waits for a call that would be refused.
 * @param calls a service over a guarded client
 * @param shared the names of those that share calls
 */
export function guardedItems<Calls extends object>(
  calls: Calls,
  shared: readonly (keyof Calls)[],
  { admit }: Guard,
): Calls {
  const guarded = shared.map((name) => {
    const share = calls[name] as (item: unknown) => Promise<unknown>
    const admitted = async (item: unknown) => {
      admit()
      return share(item)
    }
    return [name, admitted]
  })
  return { ...calls, ...Object.fromEntries(guarded) }
}
