import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { readConsentedScope } from '@gatehouse/proto/consented-scope'
import type { Consent, IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { OrganizationServiceService } from '@gatehouse/proto/organization/v1'
import type { FastifyBaseLogger } from 'fastify'
import type { TokenService } from '../../services/token-service.ts'
import type { Texts } from '../texts/table.ts'
import { shownName } from './client-name.ts'
import { consentInWords, type DescribedServer } from './scopes.ts'

/** The needs of accountApps. */
export type AccountAppsDeps = {
  /** Whether organizations are on. */
  organizations: boolean
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'listConsents'>
  organizationService: Pick<RpcClient<typeof OrganizationServiceService>, 'findMemberships'>
  tokens: Pick<TokenService, 'listTokenHolders'>
  clientRegistry: Pick<
    RpcClient<typeof ClientRegistryServiceService>,
    'lookupClients' | 'lookupResourceServers'
  >
}

/** An app with access to a user's account, as the account page shows it. */
export type AccountApp = {
  clientId: string
  name: string
  /** The organization in which it has access; undefined for none. */
  organization: { organizationId: string; name: string } | undefined
  /** The scope, word by word. */
  scope: string[]
  /** The permissions that the scope gives, in words of a language. */
  scopes: string[]
  since: Date
}

/**
 * Gives the apps with access to a user's account: those that the user allowed, and those that hold tokens without a
 * consent, as first-party apps do.
 * @returns apps: the apps in the words of a language; complete: false when the token service did not answer, so that apps without a consent are missing
 */
export async function accountApps(
  userId: string,
  { identity, organizationService, tokens, clientRegistry, organizations }: AccountAppsDeps,
  log: FastifyBaseLogger,
): Promise<{ apps: (texts: Texts) => AccountApp[]; complete: boolean }> {
  const [{ consents }, holders] = await Promise.all([
    identity.listConsents({ userId }),
    tokens.listTokenHolders({ userId }).then(
      (answer) => answer.holders,
      (error) => void log.warn({ err: error }, 'the account page lacks the apps that hold tokens only'),
    ),
  ])
  const allowed = new Set(consents.map(accessOf))
  const unasked = (holders ?? []).filter((holder) => !allowed.has(accessOf(holder)))
  const all = [...consents, ...unasked]
  const organizationOf = await organizationNames(userId, { consents, unasked }, organizationService, log)
  const nameOf = await clientNames(
    all.map(({ clientId }) => clientId),
    clientRegistry,
    log,
  )
  const named = all.some(({ scope }) => readConsentedScope(scope).ofResources.size > 0)
  const servers = named ? await resourceServers(clientRegistry, log) : []
  // The name in a metadata document may change at any time: the user knows the one under which they agreed.
  const nameAtConsent = new Map(
    consents
      .filter(({ clientId }) => isDocumentClientId(clientId))
      .map((consent) => [accessOf(consent), consent.clientName]),
  )
  const apps = (texts: Texts) =>
    all.map(({ clientId, organizationId, scope, grantedAt }) => ({
      clientId,
      organization: organizationId ? { organizationId, name: organizationOf(organizationId) } : undefined,
      name: nameAtConsent.get(accessOf({ clientId, organizationId })) ?? nameOf(clientId, texts),
      scope: wordsOf(scope),
      scopes: consentInWords(scope, servers, texts, organizations),
      since: grantedAt ?? new Date(0),
    }))
  return { apps, complete: holders !== undefined }
}

type Access = { clientId: string; organizationId?: string | undefined }

/** The key of an access. No id of a client has a space. */
const accessOf = ({ clientId, organizationId = '' }: Access) => `${organizationId} ${clientId}`

/** The name of each organization. While the identity service does not tell it, the id stands in for it. */
async function organizationNames(
  userId: string,
  {
    consents,
    unasked,
  }: { consents: readonly Consent[]; unasked: readonly { organizationId?: string | undefined }[] },
  { findMemberships }: AccountAppsDeps['organizationService'],
  log: FastifyBaseLogger,
): Promise<(organizationId: string) => string> {
  const names = new Map(
    consents.map(({ organizationId, organizationName }) => [organizationId, organizationName]),
  )
  if (unasked.some(({ organizationId }) => organizationId && !names.get(organizationId))) {
    const found = await findMemberships({ questions: [{ userId }] }).catch((error: unknown) => {
      log.warn({ err: error }, 'the account page shows ids of organizations, not their names')
      return { answers: [] }
    })
    for (const { organizationId, name } of found.answers.flatMap(({ memberships }) => memberships))
      names.set(organizationId, name)
  }
  return (organizationId) => names.get(organizationId) ?? organizationId
}

function wordsOf(consented: string): string[] {
  const { own, ofResources } = readConsentedScope(consented)
  return [...new Set([...own, ...[...ofResources.values()].flatMap((words) => [...words])])]
}

/** All resource servers; none while the registry is unavailable, so that only the names of their scopes are known. */
async function resourceServers(
  registry: AccountAppsDeps['clientRegistry'],
  log: FastifyBaseLogger,
): Promise<readonly DescribedServer[]> {
  try {
    return (await registry.lookupResourceServers({})).resourceServers
  } catch (error) {
    log.warn({ err: error }, 'the account page does not name resource servers')
    return []
  }
}

/** Each client's name. While the registry is unavailable, the id stands in for it: the user can still withdraw access. */
async function clientNames(
  clientIds: readonly string[],
  registry: AccountAppsDeps['clientRegistry'],
  log: FastifyBaseLogger,
): Promise<(clientId: string, texts: Texts) => string> {
  if (clientIds.length === 0) return (clientId) => clientId
  const clients = clientIds.map((clientId) => ({ clientId, revision: 0n }))
  try {
    const { changed } = await registry.lookupClients({ clients, usedSecrets: [] })
    const names = new Map(changed.map((client) => [client.clientId, shownName(client)]))
    return (clientId, { account }) => names.get(clientId) ?? account.deletedApp(clientId)
  } catch (error) {
    log.warn({ err: error }, 'the account page shows ids of clients, not their names')
    return (clientId) => clientId
  }
}
