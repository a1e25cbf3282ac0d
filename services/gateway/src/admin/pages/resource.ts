import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { ResourceServer } from '@gatehouse/proto/clientregistry/v1'
import type { ResourceFacts } from './contents.ts'

/** The path of the list of resource servers. */
export const resourceSection = '/admin/resources'

/** An update that changes nothing, to spread before the fields that change. */
export const unchangedResource = {
  revision: 0n,
  name: undefined,
  scopes: undefined,
  tokenLifetime: undefined,
  openRegistration: undefined,
  clientId: undefined,
  disabled: undefined,
} as const

/** The path of a resource server's page. */
export function resourcePath(resourceId: string): string {
  return `${resourceSection}/${encodeURIComponent(resourceId)}`
}

/** @throws Refusal not_found */
export async function resourceOf(
  resourceId: string,
  { clientRegistry }: Pick<AdminDeps, 'clientRegistry'>,
): Promise<ResourceServer> {
  const { resourceServer } = await clientRegistry.getResourceServer({ resourceId })
  if (resourceServer === undefined) throw new Error('the client registry gave no resource server')
  return resourceServer
}

/** A resource server as pages show it. */
export function resourceFacts(resourceServer: ResourceServer): ResourceFacts {
  const { disabled, openRegistration, revision: _, ...facts } = resourceServer
  const statuses: ResourceFacts['statuses'] = [
    disabled ? { text: 'Disabled', kind: 'off' } : { text: 'Enabled', kind: 'on' },
    ...(openRegistration ? [{ text: 'Open to registration', kind: 'plain' } as const] : []),
  ]
  return { ...facts, disabled, statuses }
}
