import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCertificateAuthority } from './certificates.ts'

/** A website of clients that publish their metadata documents (draft-ietf-oauth-client-id-metadata-document). */
export type DocumentSite = {
  /** The variables of a system that may read its documents. */
  variables: Record<string, string>
  /** The client_id of a document. @param path begins with a slash */
  clientId(path: string): string
  /** Publishes a document, or changes it. A field that is left out has a value that works. */
  publish(path: string, document?: Record<string, unknown>): void
  /** Takes a document away: it is answered 404. */
  remove(path: string): void
  /** The number of requests so far. */
  requests(): number
  close(): Promise<void>
}

/** Starts the website with TLS on the loopback address. @param openssl the path of that program */
export async function startDocumentSite(openssl: string): Promise<DocumentSite> {
  const authority = await createCertificateAuthority(openssl)
  const files = await authority.issue(['DNS:localhost'])
  const documents = new Map<string, object>()
  let requests = 0
  const server = createServer(
    { cert: await readFile(files.OAUTH2_GRPC_TLS_CERT), key: await readFile(files.OAUTH2_GRPC_TLS_KEY) },
    ({ url = '' }, response) => {
      requests += 1
      const document = documents.get(url)
      response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(document ?? {}))
    },
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const clientId = (path: string) => `https://localhost:${(server.address() as AddressInfo).port}${path}`
  return {
    variables: {
      OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8 ::1/128',
      NODE_EXTRA_CA_CERTS: files.OAUTH2_GRPC_TLS_CA,
    },
    clientId,
    publish(path, document = {}) {
      const redirect_uris = ['https://app.example/cb']
      documents.set(path, { client_id: clientId(path), client_name: 'Editor', redirect_uris, ...document })
    },
    remove: (path) => void documents.delete(path),
    requests: () => requests,
    async close() {
      server.close().closeAllConnections()
      await authority.remove()
    },
  }
}
