import type { Connection } from './connection.ts'

/** A connection as logging in by it needs it. */
export type LoginConnection = Connection & {
  /** Encrypted; null for the other way. */
  clientSecret: Buffer | null
  clientKey: Buffer | null
  /** Its organization; undefined for a connection of the instance. */
  organization: { name: string; slug: string; disabled: boolean } | undefined
}

/** Reads connections for logins. */
export type LoginConnectionStore = {
  /** Read for each login, so that a change counts at once on all replicas. */
  find(connectionId: string): Promise<LoginConnection | undefined>
}

/** Whether people may log in by a connection now. */
export function isOpen({
  disabledAt,
  organization,
}: Pick<LoginConnection, 'disabledAt' | 'organization'>): boolean {
  return disabledAt === undefined && !organization?.disabled
}
