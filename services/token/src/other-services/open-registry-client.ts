import type { ProcessContext } from '@gatehouse/kit/process/process'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { cacheMetrics } from '@gatehouse/kit/telemetry/metrics'
import { repeat } from '@gatehouse/kit/time/repeat'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { createClientCache } from '../clients/client-cache.ts'
import {
  createResourceIndicators,
  noResourceIndicators,
  type ResourceIndicators,
} from '../clients/resource-indicators.ts'
import { createResourceServers, noResourceServers } from '../clients/resource-servers.ts'
import { createSecretUses } from '../clients/secret-uses.ts'
import type { TokenConfig } from '../config.ts'
import { clientRegistryOver, resourceServersOver } from './registry-client.ts'

type Context = ProcessContext<TokenConfig>
type RegistryRpc = RpcClient<typeof ClientRegistryServiceService>

/** In milliseconds. */
const revalidateEvery = 600
/** In milliseconds: as long as the registry may take when both start together, its absence is no news. */
const startsWithin = 10_000

/** The clients used lately, checked against the client registry again and again. */
export function openClients(context: Context, rpc: RegistryRpc) {
  const { log, registry } = context
  const cache = cacheMetrics(registry, ['client'])
  const secretUses = createSecretUses(Date.now)
  const keyUses = createSecretUses(Date.now)
  const clients = createClientCache({
    registry: clientRegistryOver(rpc),
    ...{ secretUses, keyUses },
    now: Date.now,
    hit: () => cache.hits.inc({ cache: 'client' }),
    miss: () => cache.misses.inc({ cache: 'client' }),
    unreachable: (error) =>
      error
        ? log.warn({ err: error }, 'the client registry is away')
        : log.info('the client registry is back'),
  })
  repeat(context, 'revalidating clients', revalidateEvery, clients.revalidate)
  return { ...clients, noteSecretUse: secretUses.note, noteKeyUse: keyUses.note }
}

/** The rule for resource servers. If it needs them, they are read again and again. */
export async function openResources(context: Context, rpc: RegistryRpc) {
  const { OAUTH2_RESOURCE_INDICATORS: mode, OAUTH2_SCOPES_SUPPORTED: scopes } = context.config
  const enabled = mode === 'registered'
  if (!enabled) {
    const known = () => noResourceServers
    return { enabled, resourceIndicators: noResourceIndicators, known, reread: () => undefined }
  }
  const servers = createResourceServers({
    lookup: resourceServersOver(rpc),
    monotonicNow: () => performance.now(),
  })
  const startedAt = performance.now()
  const read = () =>
    servers.refresh().catch((error) => {
      if (performance.now() - startedAt > startsWithin) throw error
    })
  await read()
  repeat(context, 'reading the resource servers', revalidateEvery, read)
  const resourceIndicators: ResourceIndicators = createResourceIndicators(servers, new Set(scopes.split(' ')))
  // Not awaited: the registry's transaction waits for the answer to the call that says so.
  const reread = () => void servers.refresh().catch(() => undefined)
  return { enabled, resourceIndicators, known: servers.last, reread }
}
