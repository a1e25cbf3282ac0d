import { hash } from 'node:crypto'
import type { Client, ClientSecret } from '../src/client-authentication.ts'

/** A secret as it is kept. */
export function kept(secret: string, expiresAt?: number): ClientSecret {
  return { digest: hash('sha256', secret, 'buffer'), expiresAt }
}

/** A client that may do everything, with the secret `right`. */
export function someClient(changes: Partial<Client> = {}): Client {
  return {
    clientId: 'client_a',
    grantTypes: new Set(['client_credentials']),
    scope: 'read write',
    disabled: false,
    secrets: [kept('right')],
    ...changes,
  }
}

/** Finds one of these clients. */
export const findAmong = (clients: readonly Client[]) => async (clientId: string) =>
  clients.find((client) => client.clientId === clientId)
