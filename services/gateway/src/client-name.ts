import { visibleTextFault } from '@gatehouse/kit/visible-text'

/**
 * The name that people see for a client. A client that registered before names had to be visible may have an invisible
 * one; its id is shown instead.
 */
export function shownName({ clientId, clientName }: { clientId: string; clientName: string }): string {
  return visibleTextFault(clientName) === undefined ? clientName : clientId
}
