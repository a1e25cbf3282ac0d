import { hash } from 'node:crypto'
import { recordedEvents } from '@gatehouse/kit/testing/recorded-events'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { expect } from 'vitest'
import { getRegisteredClient, replaceRegisteredClient } from '../../src/changes/registered-client.ts'
import { registerClient } from '../../src/changes/registration.ts'
import {
  createUnusedRegistrationCleaning,
  type UnusedRegistrationDeps,
} from '../../src/changes/unused-registrations.ts'
import { createUnusedRegistrationStore } from '../../src/store/unused-registrations.ts'
import type { useReplicas } from '../registry.ts'

/** After how many days these tests delete a client that nobody uses. */
export const days = 30

const redirectUris = ['https://app.example/cb']

/** Makes the functions that make clients which registered themselves, and that delete those that nobody uses. */
export function unusedClients({ replica, query }: Pick<ReturnType<typeof useReplicas>, 'replica' | 'query'>) {
  const age = (clientId: string, ago: number) =>
    query('update clients.clients set created_at = now() - make_interval(days => $2) where client_id = $1', [
      clientId,
      ago,
    ])

  return {
    age,

    /** A client that registered itself, and what it can do with its registration. */
    async registered({ registeredDaysAgo = days + 1, open = true } = {}) {
      const deps = { ...replica().registered, full: true }
      const { client, clientSecret, registrationAccessToken } = await registerClient(
        { redirectUris, grantTypes: ['authorization_code'], scope: 'read' },
        { ...deps, store: replica().store, open },
      )
      const { clientId } = client
      await age(clientId, registeredDaysAgo)
      const access = {
        ...{ clientId, registrationAccessToken: registrationAccessToken ?? '', ipAddress: '192.0.2.9' },
      }
      const noted = () =>
        expect
          .poll(() =>
            query(
              "select from clients.registration_uses where client_id = $1 and managed_at > now() - interval '1 hour'",
              [clientId],
            ),
          )
          .toHaveLength(1)
      return {
        ...{ clientId, secret: { clientId, digest: hash('sha256', clientSecret ?? '', 'buffer') } },
        async read() {
          await getRegisteredClient(access, deps)
          await noted()
        },
        async replace(clientName: string) {
          await replaceRegisteredClient(access, { redirectUris, grantTypes: [], clientName }, deps)
          await noted()
        },
      }
    },

    /** A clean-up whose other services know no use unless a test says otherwise, and what it did. */
    cleaning(changes: Partial<UnusedRegistrationDeps> = {}) {
      const { database, changes: others } = replica()
      const { emit, events } = recordedEvents()
      const { log, lines } = recordedLog()
      const asked: string[] = []
      const clean = createUnusedRegistrationCleaning({
        ...{ emit, log, deliver: others.deliver, isStopping: () => false },
        store: createUnusedRegistrationStore(database, days),
        findUsed: [
          async (clientIds) => {
            asked.push(...clientIds)
            return []
          },
        ],
        ...changes,
      })
      return { clean, events, lines, asked }
    },

    exists: async (clientId: string) =>
      (await query('select from clients.clients where client_id = $1', [clientId])).length === 1,
  }
}
