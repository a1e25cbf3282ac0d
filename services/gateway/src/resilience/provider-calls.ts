import type { CallOptions, RpcClient, Service } from '@gatehouse/kit/rpc/rpc-client'
import type { Presented } from '@gatehouse/proto/token/v1'
import { providerPatience } from '../services/provider-patience.ts'
import type { Circuit } from './circuit.ts'
import { unavailable } from './failures.ts'
import { createGuard, type Guard, type GuardOptions } from './guard.ts'

/**
 * The calls in which a service waits for the server of somebody else, and how to tell that server from others by the request; undefined for
 * a request that waits for none.
 */
const providerCalls: Readonly<Record<string, (request: ProviderRequest) => string | undefined>> = {
  beginSocialLogin: ({ provider = '' }) => provider,
  finishSocialLogin: ({ provider = '' }) => provider,
  beginLogin: ({ connectionId = '' }) => connectionId,
  finishLogin: ({ connectionId = '' }) => connectionId,
  endUpstream: ({ connectionId = '' }) => connectionId,
  createConnection: ({ connection }) => connection?.organizationId ?? '',
  updateConnection: ({ connectionId = '' }) => connectionId,
  // The keys of a client may be at its jwks_uri.
  issue: ({ items }) => waitingClient(items?.[0]),
  introspectTokens: ({ items }) => waitingClient(items?.[0]),
  pushAuthorization: waitingClient,
  revokeToken: waitingClient,
}

type ProviderRequest = ClientRequest & {
  provider?: string
  connectionId?: string
  connection?: { organizationId?: string }
  items?: readonly ClientRequest[]
}

type ClientRequest = { presented?: Presented | undefined }

/** The client for whose keys a request may wait. Such a request is alone in its call. */
function waitingClient(request: ClientRequest | undefined): string | undefined {
  const presented = request?.presented
  return presented?.mayWait ? (presented.credentials[0]?.clientId ?? '') : undefined
}

/** Lets calls that wait for the servers of providers through. A slow one can take only a part of the room. */
export type ProviderGuard = {
  /**
   * Makes a call, which is never repeated.
   * @param provider tells the provider from others
   * @throws the error of the call, or a Refusal temporarily_unavailable instead of it
   */
  run<Result>(
    provider: string,
    call: (deadline: number) => Promise<Result>,
    deadline: number,
  ): Promise<Result>
}

/**
 * Creates the guard of the calls that wait for providers. Its failures are those of providers, so the circuit never counts them; while the
 * circuit of the service is open, the calls are refused like all others.
 * @param circuit the circuit of the service that is called
 */
export function createProviderGuard(
  circuit: Circuit,
  options: Omit<GuardOptions, 'circuit' | 'timeoutMs' | 'budget' | 'retried'>,
): ProviderGuard {
  const { service, calls, rejected } = options
  const guard: Guard = createGuard({
    ...options,
    circuit: { ...circuit, run: (call) => call() },
    timeoutMs: providerPatience,
    budget: { called: () => undefined, take: () => false },
    retried: () => undefined,
  })
  const mostOfOne = Math.ceil(calls / 4)
  const underWay = new Map<string, number>()
  return {
    async run(provider, call, deadline) {
      const others = underWay.get(provider) ?? 0
      if (others >= mostOfOne) {
        rejected()
        throw unavailable(`too many calls wait for one provider at ${service}`)
      }
      underWay.set(provider, others + 1)
      try {
        return await guard.run(call, deadline, false)
      } finally {
        const left = (underWay.get(provider) ?? 1) - 1
        if (left > 0) underWay.set(provider, left)
        else underWay.delete(provider)
      }
    },
  }
}

/**
 * Takes the calls that wait for providers out of the guard of the service. Other requests of the same calls stay in it.
 * @param guarded the client whose calls all go through that guard
 * @param client the same client without a guard
 */
export function withProviderCalls<S extends Service>(
  guarded: RpcClient<S>,
  client: RpcClient<S>,
  guard: ProviderGuard,
): RpcClient<S> {
  // The table has these calls with their requests; the type of any client does not.
  const unguarded = client as unknown as Record<string, Call>
  const calls = Object.entries(guarded as unknown as Record<string, Call>).flatMap(([name, usual]) => {
    const [call, providerOf] = [unguarded[name], providerCalls[name]]
    if (call === undefined || providerOf === undefined) return []
    const own: Call = (request, options = {}) => {
      const provider = providerOf(request)
      if (provider === undefined) return usual(request, options)
      const { deadline = Date.now() + providerPatience, ...others } = options
      return guard.run(provider, (deadline) => call(request, { ...others, deadline }), deadline)
    }
    return [[name, own] as const]
  })
  return { ...guarded, ...Object.fromEntries(calls) }
}

type Call = (request: ProviderRequest, options?: CallOptions) => Promise<unknown>
