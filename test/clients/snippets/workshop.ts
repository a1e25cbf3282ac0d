import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type {
  AuthorizationServerMetadata,
  ClientWithSecret,
  ResourceServer,
  Status,
} from '@gatehouse/admin-api/generated/openapi'
import {
  type AppDescription,
  clientOf,
  firstDescription,
  type Installation,
  type KindName,
  kinds,
} from '../../../services/console/src/start/kinds.ts'
import { snippetsFor } from '../../../services/console/src/start/snippets/table.ts'
import { valuesOf } from '../../../services/console/src/start/snippets/values.ts'
import { asAdministrator, type Provider } from '../../e2e/openid/openid-world.ts'

/** An app that was created as the guide of the console creates it, and the code that it shows for it, by its name. */
export type CreatedApp = {
  client: ClientWithSecret
  resource: ResourceServer | undefined
  description: AppDescription
  code: Readonly<Record<string, string>>
}

/** Where snippets are saved and run. */
export type Workshop = {
  provider: Provider
  installation: Installation
  /** Of the single-page app. */
  origin: string
  /** Creates an app. @param changes the values that people type into the form instead of those that are there */
  create(kind: KindName, changes?: Partial<AppDescription>): Promise<CreatedApp>
  /** Saves a file, and returns its path. */
  save(name: string, code: string): Promise<string>
  close(): Promise<void>
}

/** The answers that the console asks the server for. */
export async function installationOf({ system, root }: Provider): Promise<Installation> {
  const metadata = await system.request('/.well-known/oauth-authorization-server')
  const status = await asAdministrator(system, root, 'GET', '/admin/api/status')
  return {
    server: (await metadata.json()) as AuthorizationServerMetadata,
    status: (await status.json()) as Status,
  }
}

export async function openWorkshop(provider: Provider, origin: string): Promise<Workshop> {
  const installation = await installationOf(provider)
  const { server } = installation
  // Below this folder, so that Node.js finds the libraries.
  const directory = await mkdtemp(join(import.meta.dirname, '.saved-'))
  async function post<Body>(path: string, body: object): Promise<Body> {
    const answer = await asAdministrator(provider.system, provider.root, 'POST', path, body)
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Body
  }
  return {
    provider,
    installation,
    origin,
    async create(kind, changes = {}) {
      const description = { ...firstDescription(kind, server), name: 'My app', ...changes }
      const client = await post<ClientWithSecret>('/admin/api/clients', clientOf(kind, description, server))
      const { identifier, scope, scopeWords, name } = description
      const settings = kinds[kind].resource
      const resource =
        settings &&
        (await post<ResourceServer>('/admin/api/resources', {
          identifier,
          name,
          scopes: [{ scope, description: scopeWords }],
          open_registration: settings.open_registration,
          client_id: client.client_id,
        }))
      const shown = snippetsFor(kind, valuesOf({ client, resource }, server))
      const code = Object.fromEntries(shown.map((snippet) => [snippet.name, snippet.code]))
      return { client, resource, description, code }
    },
    async save(name, code) {
      const path = join(directory, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, code)
      return path
    },
    async close() {
      await rm(directory, { recursive: true, force: true })
      await provider.system.stop()
    },
  }
}
