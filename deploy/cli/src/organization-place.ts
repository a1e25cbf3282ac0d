import { type Command, Option } from 'commander'
import type { Api } from './api.ts'
import type { CommandDeps } from './command.ts'
import { findOrganization } from './finding/find-organization.ts'

/** The paths of the instance that an organization has too, and where they are there. */
const places: readonly (readonly [RegExp, string])[] = [
  [/^\/admin\/api(?=\/groups(\/|$))/, '/admin/api/organizations/{organization_id}'],
  [
    /^\/admin\/api\/users(?=\/\{user_id\}\/(groups|roles)$)/,
    '/admin/api/organizations/{organization_id}/members',
  ],
  [/^\/admin\/api(?=\/resources\/\{resource_id\}\/roles\/)/, '/admin/api/organizations/{organization_id}'],
]

const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const

type Init = { params?: { path?: object } }
type Send = (path: string, init?: Init) => unknown

/**
 * Lets the commands of a group work in an organization, which each of them takes as an option. Call `addOption` once the group has them.
 * @returns the needs of these commands
 */
export function inOrganizations(group: Command, deps: CommandDeps): CommandDeps & { addOption(): void } {
  let named: string | undefined
  group.hook('preAction', (_, command) => {
    named = command.opts<{ organization?: string }>().organization
  })
  return {
    ...deps,
    perform: (work) =>
      deps.perform(async (api) => {
        if (named === undefined) return work(api)
        return work(apiIn((await findOrganization(api, named)).organization_id, api))
      }),
    addOption() {
      const option = new Option('--organization <organization>', 'in this organization (id or slug)')
      for (const command of group.commands) command.addOption(option)
    },
  }
}

/** The API as it is in an organization: its groups and roles stand where those of the instance are. */
function apiIn(organizationId: string, api: Api): Api {
  const sending = methods.map((method) => {
    const send = api[method] as unknown as Send
    const placed: Send = (path, init) => {
      const [pattern, begin] = places.find(([pattern]) => pattern.test(path)) ?? []
      if (pattern === undefined || begin === undefined) return send(path, init)
      const params = { ...init?.params, path: { ...init?.params?.path, organization_id: organizationId } }
      return send(path.replace(pattern, begin), { ...init, params })
    }
    return [method, placed]
  })
  return { ...api, ...Object.fromEntries(sending) }
}
