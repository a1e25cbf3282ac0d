import { createCleaning } from '@gatehouse/data/cleaning'
import { deleteExpiredRows, deletionOfAuditEntries } from '@gatehouse/data/expired-rows'
import { expiringPendingEvents } from '@gatehouse/data/pending-events'
import type { ServiceDatabase } from '@gatehouse/data/service-database'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import { cleanUpMetrics } from '@gatehouse/kit/telemetry/metrics'
import { repeat } from '@gatehouse/kit/time/repeat'
import {
  createUnusedRegistrationCleaning,
  type UnusedRegistrationDeps,
} from './changes/unused-registrations.ts'
import type { ClientRegistryConfig } from './config.ts'
import type { StoredClientIdDocuments } from './store/client-id-documents.ts'
import { deleteOldKeyUses } from './store/key-uses.ts'
import { createUnusedRegistrationStore } from './store/unused-registrations.ts'

/** In milliseconds: before the first round, so that it comes even where processes never run for long, and before each later one. */
const firstPause = 5_000
const laterPause = 600_000

const nameReservations = {
  name: 'clients.name_reservations',
  key: 'reservation_id, name',
  ends: 'expires_at',
}

/** The audit entries that are not kept for ever: those of what clients did to themselves. */
export const expiringAuditEntries = { name: 'clients.audit_log', key: 'entry_id', ends: 'expires_at' }

/** The needs of startCleaning. */
type CleaningWiring = Pick<UnusedRegistrationDeps, 'findUsed' | 'deliver' | 'emit'> & {
  database: ServiceDatabase
  documents: StoredClientIdDocuments
  isElected(): Promise<boolean>
}

/** Deletes what is no longer needed, soon after the start and again and again. */
export function startCleaning(
  context: ProcessContext<ClientRegistryConfig>,
  { database, documents, isElected, ...wiring }: CleaningWiring,
) {
  const { config, log, stopping } = context
  const days = config.OAUTH2_UNUSED_REGISTRATION_DAYS
  const deleteUnused = createUnusedRegistrationCleaning({
    ...{ ...wiring, log },
    store: createUnusedRegistrationStore(database, days),
    isStopping: () => stopping.aborted,
  })
  const clean = createCleaning({
    isElected,
    parts: {
      clients_with_documents: documents.deleteUnused,
      name_reservations: () => deleteExpiredRows(database, nameReservations),
      audit_entries: () => deleteExpiredRows(database, expiringAuditEntries),
      ...deletionOfAuditEntries(database, 'clients', config.OAUTH2_AUDIT_LOG_DAYS),
      key_uses: () => deleteOldKeyUses(database),
      pending_events: () => deleteExpiredRows(database, expiringPendingEvents('clients')),
      ...(days > 0 && { unused_registrations: deleteUnused }),
    },
    ...cleanUpMetrics(context.registry),
    log,
  })
  let pause = firstPause
  const nextPause = () => {
    const current = pause
    pause = laterPause
    return current
  }
  repeat(context, 'deleting clients that nobody uses', nextPause, clean)
}
