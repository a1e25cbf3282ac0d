import { randomBytes } from 'node:crypto'
import type { Election } from '@gatehouse/data/election'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { Implementation } from '@gatehouse/kit/rpc/rpc-server'
import { repeat } from '@gatehouse/kit/time/repeat'
import type { Database } from '@gatehouse/prisma/database'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { Mails } from './open-mails.ts'
import { createDomainChecks } from './organizations/domain-checks.ts'
import { createRecordSearch } from './organizations/domain-record.ts'
import { type DomainVariables, dnsServersOf } from './organizations/variables.ts'
import { domainRpcs } from './rpc/organization-domain-rpc.ts'
import { invitationRpcs } from './rpc/organization-invitation-rpc.ts'
import type { MailWriter } from './store/mail/mails.ts'
import { createDomainStore } from './store/organizations/domains.ts'
import { createInvitationChangeStore } from './store/organizations/invitation-changes.ts'
import { createOrganizationInvitationStore } from './store/organizations/invitations.ts'
import { createOrganizationStore } from './store/organizations/organizations.ts'

/** In milliseconds: the pause between two looks for domains that are due. */
const lookEvery = 60_000

/** The needs of invitations to organizations and of their domains. */
type Deps = Mails & {
  database: Pick<Database, 'pool' | 'prisma'>
  keepEvent: KeepEvent
  writer: MailWriter
  clientRegistry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'lookupResourceServers'>
  /** One replica looks at the records of domains. */
  election: Pick<Election, 'isElected'>
}

/** The services about invitations to organizations and about their domains. The elected replica looks at the domains daily. */
export function openInvitationsAndDomains(
  context: ProcessContext<DomainVariables & { OAUTH2_ORGANIZATIONS_ENABLED: boolean }>,
  { database, keepEvent, writer, clientRegistry, election, ...mails }: Deps,
): Implementation[] {
  const { config, log } = context
  const organizations = createOrganizationStore(database)
  const stores = { keepEvent, mails: writer }
  const domains = createDomainStore(database, stores)
  const searchRecord = createRecordSearch(dnsServersOf(config))
  const lookAtDue = createDomainChecks({ domains, searchRecord, isElected: election.isElected, log })
  repeat(context, 'looking at the records of domains', lookEvery, lookAtDue)
  return [
    invitationRpcs({
      ...mails,
      organizations,
      invitations: createOrganizationInvitationStore(database, { keepEvent, organizations }),
      invitationChanges: createInvitationChangeStore(database, stores),
      organizationsOn: config.OAUTH2_ORGANIZATIONS_ENABLED,
      findRoles: async () => (await clientRegistry.lookupResourceServers({})).resourceServers,
    }),
    domainRpcs({ domains, organizations, searchRecord, randomBytes }),
  ]
}
