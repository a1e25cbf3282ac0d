import type { CallOptions, RpcClient, Service } from '@gatehouse/kit/rpc/rpc-client'
import { grants, isGrantType } from '@gatehouse/proto/grants'
import type { IssueRequest } from '@gatehouse/proto/token/v1'
import { responseOf, unlessFailed } from './failed-batch.ts'
import type { Guard } from './guard.ts'

/**
 * Returns a function that says whether a call of a method may be repeated although the first one may have taken effect: one that only
 * reads, or leaves at most a token or an authorization request that nobody knows. Other grants redeem what works only once.
 */
function repeatability(name: string): (request: unknown) => boolean {
  const always = /^((get|list|lookup|introspect)[A-Z]|beginAuthorizations$)/.test(name)
  return (request) => always || (name === 'issue' && hasRepeatableGrants(request as IssueRequest))
}

function hasRepeatableGrants({ items }: IssueRequest): boolean {
  return items.every(({ grantType }) => isGrantType(grantType) && grants[grantType].repeatable)
}

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
    const mayRepeat = repeatability(name)
    const guarded: Call = (request, { deadline = Date.now() + timeoutMs, ...options } = {}) => {
      const attempt = async (deadline: number) => unlessFailed(await call(request, { ...options, deadline }))
      return guard.run(attempt, deadline, mayRepeat(request)).catch(responseOf)
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
