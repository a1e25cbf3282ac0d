import { visibleTextFault } from '@gatehouse/kit/visible-text'

/**
 * What people see of a client. One that registered before names had to be visible may be called nothing that can be seen:
 * its id must do.
 */
export function shownName({ clientId, clientName }: { clientId: string; clientName: string }): string {
  return visibleTextFault(clientName) === undefined ? clientName : clientId
}
