import { chmod, readFile, writeFile } from 'node:fs/promises'
import { request as sendRequest } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { nginxModules } from '@gatehouse/test/programs/programs'
import type { CertificateFiles } from '@gatehouse/test/servers/certificates'
import { prepareServer, type ServerProcess } from '@gatehouse/test/servers/server-process'

/** Where nginx listens, and what it passes requests to: ports of 127.0.0.1. */
export type NginxPorts = { http: number; https: number; gatehouse: number; api: number }

const sources = join(import.meta.dirname, 'nginx')

/** The part of Debian's own configuration around the files of the tutorial, without its places. */
const configurationOf = (directory: string) => `
load_module ${nginxModules}/ngx_http_js_module.so;
daemon off;
pid ${directory}/pid;
error_log ${directory}/errors;
events {}
http {
  access_log off;
  client_body_temp_path ${directory}/bodies;
  ${['proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  include ${directory}/gatehouse.conf;
  include ${directory}/api.conf;
}
`

/**
 * Starts nginx with the configuration of docs/apps/tutorial-nginx.md, as it stands there but for ports and places.
 * @param path the path of nginx
 * @param credentials the header with which it introspects
 */
export async function startNginx(
  path: string,
  ports: NginxPorts,
  certificate: CertificateFiles,
  credentials: { authorization: string },
): Promise<ServerProcess> {
  const server = await prepareServer(async (directory) => {
    // nginx's workers are another user.
    await chmod(directory, 0o755)
    const placed: readonly [from: RegExp, to: string][] = [
      [/listen \[::\].*\n/g, ''],
      [/listen 80;/g, `listen 127.0.0.1:${ports.http};`],
      [/listen 443 ssl;/g, `listen 127.0.0.1:${ports.https} ssl;`],
      [/127\.0\.0\.1:8080/g, `127.0.0.1:${ports.gatehouse}`],
      [/127\.0\.0\.1:3000/g, `127.0.0.1:${ports.api}`],
      [/\/etc\/nginx\/certificates\/fullchain\.pem/g, certificate.OAUTH2_GRPC_TLS_CERT],
      [/\/etc\/nginx\/certificates\/privkey\.pem/g, certificate.OAUTH2_GRPC_TLS_KEY],
      [/\/(etc|var\/lib)\/nginx\//g, `${directory}/`],
      // So that a test need not wait for ten seconds.
      [/proxy_cache_valid 200 10s/g, 'proxy_cache_valid 200 3s'],
    ]
    for (const name of ['gatehouse.conf', 'api.conf', 'introspection.js']) {
      const text = await readFile(join(sources, name), 'utf8')
      await writeFile(
        join(directory, name),
        placed.reduce((now, [from, to]) => now.replace(from, to), text),
      )
    }
    const header = `proxy_set_header Authorization "${credentials.authorization}";\n`
    await writeFile(join(directory, 'introspection-credentials'), header)
    const configuration = join(directory, 'nginx.conf')
    await writeFile(configuration, configurationOf(directory))
    const probe = () => fetch(`http://127.0.0.1:${ports.http}`, { redirect: 'manual' })
    return { path, argv: ['-c', configuration], probe }
  })
  await server.start()
  return server
}

/**
 * Sends requests to nginx, whatever the name of their host.
 * @param ca the authority of its certificate
 * @param localAddress the address of the caller
 */
export function through(port: number, ca: Buffer, localAddress = '127.0.0.1') {
  return async (request: Request): Promise<Response> => {
    const { hostname, host, pathname, search } = new URL(request.url)
    const body = Buffer.from(await request.arrayBuffer())
    return new Promise((resolve, reject) => {
      const sent = sendRequest(
        {
          host: '127.0.0.1',
          port,
          localAddress,
          servername: hostname,
          ca,
          method: request.method,
          path: `${pathname}${search}`,
          headers: { ...Object.fromEntries(request.headers), host, 'content-length': body.length },
        },
        async (received) => {
          const headers = new Headers()
          for (const [name, values = []] of Object.entries(received.headersDistinct)) {
            for (const value of values) headers.append(name, value)
          }
          const content = await buffer(received)
          resolve(
            new Response(content.length > 0 ? content : null, { status: received.statusCode ?? 0, headers }),
          )
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }
}
