import { fileURLToPath } from 'node:url'
import { pickPort } from '@gatehouse/local/ports'
import { nodeFlags } from '@gatehouse/local/services'
import { send } from '../http.ts'
import { versionOf } from '../measuring/machine.ts'
import { app, authorizationRequest, codeIn, introspectionForm, machineForm, tokenRequests } from './app.ts'
import { openBrowser } from './browser.ts'
import type { ComparedServer, StartDeps } from './server.ts'
import { startDatabase, startProcess } from './started.ts'

const noPasswords = 'It checks no passwords: its users write the login.'

/** npm's oidc-provider in one process. */
function oidcProvider(
  { title, setup, without }: Pick<ComparedServer, 'title' | 'setup' | 'without'>,
  stored: boolean,
): ComparedServer {
  return {
    title,
    setup,
    without: { login: noPasswords, ...without },
    prepare: async () => undefined,
    async start(deps: StartDeps) {
      const database = stored ? await startDatabase(deps) : undefined
      const port = await pickPort()
      const url = `http://127.0.0.1:${port}`
      const entry = fileURLToPath(new URL('oidc-provider-process.ts', import.meta.url))
      const started = startProcess('oidc-provider', [process.execPath, ...nodeFlags.gateway, entry], deps, {
        PORT: String(port),
        CLIENT_SECRET: app.client_secret,
        ...(database && { DATABASE_URL: database.url }),
      })
      await started.untilReady(`${url}/.well-known/openid-configuration`)
      return {
        version: versionOf('oidc-provider'),
        watched: [started.watched, ...(database ? [database.watched] : [])],
        checkAlive: started.checkAlive,
        issue: { url: `${url}/token`, form: machineForm('read') },
        introspect: { url: `${url}/token/introspection`, formOf: introspectionForm },
        async beginSession(number) {
          const browser = openBrowser()
          const { url: address } = authorizationRequest(`${url}/auth`, 'read')
          const asked = await browser.ask(address)
          const headers = { cookie: browser.cookie(), 'x-account': `person-${number}` }
          const page = new URL(asked.headers.location ?? '', url).href
          const finished = await send(page, { headers })
          codeIn(await browser.follow(finished, url), 'the login')
          return browser.cookie()
        },
        async authorize(cookie) {
          const { url: address, verifier } = authorizationRequest(`${url}/auth`, 'read')
          return { code: codeIn(await send(address, { headers: { cookie } }), 'authorize'), verifier }
        },
        ...tokenRequests(`${url}/token`),
      }
    },
  }
}

const common = `One process, because it has no part that runs beside it, with Gatehouse's V8 flags. Opaque tokens, which are its default.
Refresh tokens rotate. Its login page lets everybody in, and the grant is made without a page.`

/** With its records in PostgreSQL. */
export const oidcProviderStored = oidcProvider(
  {
    title: 'oidc-provider',
    setup: `${common} Its records are in PostgreSQL by an adapter of 60 lines with prepared statements, since it comes with none for it.`,
  },
  true,
)

const forgets = 'Its memory keeps 1,000 records, so it has forgotten most codes when they are redeemed.'

/** With its records in memory. */
export const oidcProviderInMemory = oidcProvider(
  {
    title: 'oidc-provider (in memory)',
    setup: `${common} Its records are in its own memory, which its documentation calls fit for development only: it keeps the last 1,000,
nothing survives a restart, and no second process knows them.`,
    without: { authorize: forgets, redeem: forgets, refresh: forgets },
  },
  false,
)
