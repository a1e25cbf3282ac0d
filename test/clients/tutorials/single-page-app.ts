import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A single-page app that logs its users in with oidc-client-ts. */
export type SinglePageApp = {
  /** A different site from `localhost`, where the tests' systems are. */
  origin: string
  /** Sets the server and the client (the settings of UserManager) for the pages that are opened from then on. */
  configure(settings: Record<string, string | boolean>): void
  close(): Promise<void>
}

const library = join(
  fileURLToPath(import.meta.resolve('oidc-client-ts')),
  '../../browser/oidc-client-ts.min.js',
)
const page = join(import.meta.dirname, 'single-page-app.html')

/** Serves the app from a port of 127.0.0.1. */
export async function startSinglePageApp(): Promise<SinglePageApp> {
  let settings = {}
  const server = createServer(async ({ url = '' }, response) => {
    const answer = (type: string, body: string | Buffer) =>
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
    if (url === '/oidc-client-ts.js') answer('text/javascript', await readFile(library))
    else if (url === '/settings.json') answer('application/json', JSON.stringify(settings))
    else answer('text/html', await readFile(page))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    configure(chosen) {
      settings = chosen
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
