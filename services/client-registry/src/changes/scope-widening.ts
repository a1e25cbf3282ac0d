import { Refusal } from '@gatehouse/kit/errors'
import type { Client } from '../clients/client.ts'
import { checkField } from '../clients/client-field.ts'
import { changesOf, deliverChange } from './client-change.ts'
import type { RegisteredClientDeps } from './registered-client.ts'
import { registrableScopes } from './registration.ts'

/** The scope that a client that registered itself wants besides its own. */
export type WantedScope = {
  clientId: string
  /** Space-separated. */
  scope: string
  /** Only checks whether the client may have it. */
  checkOnly: boolean
}

/**
 * Adds to the scope of a client that registered itself, as far as it could have registered that, and as long as no administrator
 * has changed what it may do. Call it when a user has agreed.
 * @throws Refusal invalid_scope
 */
export async function widenScope(
  { clientId, scope, checkOnly }: WantedScope,
  deps: RegisteredClientDeps,
): Promise<void> {
  if (!deps.open) throw unavailableScope()
  const { scopes } = await registrableScopes(deps)
  const decide = (client: Client, mayChangeItself: boolean) => {
    const its = new Set(client.scope.split(' '))
    const missing = scope.split(' ').filter((word) => !its.has(word))
    const may = mayChangeItself && !client.disabled && missing.every((word) => scopes.has(word))
    if (missing.length > 0 && !may) throw unavailableScope()
    const all = [...its, ...missing]
    const wider = checkField('scope', all.join(' '), { ...deps, scopes: new Set(all) })
    return checkOnly ? {} : changesOf(client, { scope: wider })
  }
  const actor = { kind: 'client', id: clientId, name: clientId, ipAddress: '' } as const
  const changed = await deps.store.change(clientId, decide, actor)
  if (changed === undefined) throw unavailableScope()
  await deliverChange(changed, deps.deliver)
}

function unavailableScope(): Refusal {
  return new Refusal('invalid_scope', 'The client has not registered this scope, and cannot have it.')
}
