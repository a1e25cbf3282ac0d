import type { ComparedName } from '../options.ts'
import { gatehouse } from './gatehouse.ts'
import { hydraAsItComes, hydraQuickHash } from './hydra.ts'
import { keycloak } from './keycloak.ts'
import { oidcProviderInMemory, oidcProviderStored } from './oidc-provider.ts'
import type { ComparedServer } from './server.ts'

/** The servers that Gatehouse is compared with, by the name on the command line; some run in two ways. */
const comparedServers: Record<ComparedName, readonly ComparedServer[]> = {
  hydra: [hydraAsItComes, hydraQuickHash],
  keycloak: [keycloak],
  'oidc-provider': [oidcProviderStored, oidcProviderInMemory],
}

/** Gatehouse and those that are named. */
export function serversOf(names: readonly ComparedName[]): ComparedServer[] {
  return [gatehouse, ...names.flatMap((name) => comparedServers[name])]
}
