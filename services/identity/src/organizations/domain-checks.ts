import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { DomainDeps } from './domain.ts'
import { recordOf } from './domain-name.ts'

/** How many records are looked for at once. */
const atOnce = 10

/** The needs of the daily look at the records of proven domains. */
export type DomainCheckDeps = Pick<DomainDeps, 'domains' | 'searchRecord'> & {
  /** Only the elected replica looks. */
  isElected(): Promise<boolean>
  log: Logger
}

/**
 * Creates the daily look at the records of proven domains, a few at a time. A DNS that does not answer takes no domain away: it is asked
 * again in an hour.
 * @returns a function that looks until none is due
 */
export function createDomainChecks({
  domains,
  searchRecord,
  isElected,
  log,
}: DomainCheckDeps): () => Promise<void> {
  return async () => {
    while (await isElected()) {
      const due = await domains.takeDue(atOnce)
      let failed = 0
      await Promise.all(
        due.map(async ({ organizationId, domain }) => {
          const { outcome } = await searchRecord(recordOf(domain))
          if (outcome === 'failed') failed += 1
          else await domains.endCheck(organizationId, domain, outcome === 'found', undefined)
        }),
      )
      if (failed > 0) log.warn({ domains: failed }, 'the DNS did not say whether domains are still proven')
      if (due.length < atOnce) break
    }
    if (await isElected()) await domains.endLostVouching()
  }
}
