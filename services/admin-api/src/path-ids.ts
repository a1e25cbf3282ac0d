import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import { canonicalUuid } from '@gatehouse/kit/formats'
import { isConnectionId } from '@gatehouse/proto/connections'
import { isOrganizationId } from '@gatehouse/proto/organizations'

/**
 * A client's id is compared as it is, and so are a role's name, a domain and the thumbprint of a key; a factor may also be named by a word.
 * None is empty.
 */
const otherIds: ReadonlySet<string> = new Set(['client_id', 'factor_id', 'role', 'domain', 'thumbprint'])

/** The ids that begin with a word of their own, with what knows them. */
const prefixedIds: Readonly<Record<string, (text: string) => boolean>> = {
  organization_id: isOrganizationId,
  connection_id: isConnectionId,
}

/** Of these even a UUID in upper case is another one than in lower case. */
const exactIds: ReadonlySet<string> = new Set(['client_id', 'role', 'domain', 'thumbprint'])

/**
 * Reads the ids in the address of every route: a UUID in upper case names the same thing, and any other spelling of an id names nothing,
 * so that no route can answer with success and do nothing, or more than was asked. It must be called before the routes are declared.
 */
export function readPathIds(api: App): void {
  api.addHook('preHandler', async (request) => {
    const params = request.params as Record<string, string>
    for (const [name, text] of Object.entries(params)) {
      const id = prefixedIds[name] ? lowerCase(text, prefixedIds[name]) : canonicalUuid(text)
      if (id !== undefined && !exactIds.has(name)) params[name] = id
      else if (text === '' || !otherIds.has(name)) throw new Refusal('not_found', `Nothing has this ${name}.`)
    }
  })
}

/** An id in any case of its letters. A slug is none: it may belong to another organization tomorrow. */
function lowerCase(text: string, isId: (text: string) => boolean): string | undefined {
  const lower = text.toLowerCase()
  return isId(lower) ? lower : undefined
}
