import { X509Certificate } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { program } from '@gatehouse/test/programs/programs'
import {
  type CertificateMaker,
  type MadeCertificate,
  ofAuthority,
  openCertificateMaker,
} from '@gatehouse/test/servers/client-certificates'
import { freePorts, prepareServer } from '@gatehouse/test/servers/server-process'
import { sharedAdmin, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asAdministrator } from '../openid/openid-world.ts'

const openssl = await program('openssl')
const nginx = await program('nginx')

describe.skipIf(!openssl || !nginx)('clients with certificates', () => {
  const ended = new AsyncDisposableStack()
  let maker: CertificateMaker
  let server: MadeCertificate
  let intermediate: MadeCertificate
  let app: MadeCertificate
  let system: TestSystem
  let administrator: CookieJar
  let [mutualTls, proxy] = [0, 0]

  beforeAll(async () => {
    maker = await openCertificateMaker(openssl as string)
    ended.defer(maker.remove)
    server = await maker.make({ subject: '/CN=localhost', extensions: ['subjectAltName=DNS:localhost'] })
    const root = await maker.make({ subject: '/CN=root', extensions: ofAuthority })
    intermediate = await maker.make({ subject: '/CN=intermediate', by: root, extensions: ofAuthority })
    app = await maker.make({
      subject: '/O=Acme/CN=app',
      extensions: ['subjectAltName=DNS:app.example.com'],
      by: intermediate,
    })
    ;[mutualTls = 0, proxy = 0] = await freePorts(2)
    system = await startTestSystem({
      OAUTH2_SEED_USERNAME: sharedAdmin.username,
      OAUTH2_SEED_PASSWORD: sharedAdmin.password,
      OAUTH2_CLIENT_AUTH_METHODS: 'client_secret_basic tls_client_auth self_signed_tls_client_auth',
      // nginx does not pass on the certificates between that of a caller and the root.
      OAUTH2_CLIENT_CERTIFICATE_CA: await maker.write('ca.pem', root.cert + intermediate.cert),
      OAUTH2_MTLS_PORT: String(mutualTls),
      OAUTH2_MTLS_CERT: server.certFile,
      OAUTH2_MTLS_KEY: server.keyFile,
      OAUTH2_CLIENT_CERTIFICATE_HEADER: 'X-Client-Certificate',
      OAUTH2_CLIENT_CERTIFICATE_PROXIES: '127.0.0.2',
    })
    ended.defer(system.stop)
    administrator = await logIn(system, sharedAdmin.username, sharedAdmin.password)
    const running = await startProxy()
    ended.defer(running.close)
  })
  afterAll(() => ended.disposeAsync())

  /** Starts nginx, which asks callers for a certificate and passes it on. */
  async function startProxy() {
    const running = await prepareServer(async (directory) => {
      // nginx's workers are another user.
      await chmod(directory, 0o755)
      const names = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const configuration = `
        daemon off;
        pid ${directory}/pid;
        error_log ${directory}/errors;
        events {}
        http {
          access_log off;
          ${names.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n')}
          server {
            listen 127.0.0.1:${proxy} ssl;
            ssl_certificate ${server.certFile};
            ssl_certificate_key ${server.keyFile};
            ssl_verify_client optional_no_ca;
            location / {
              proxy_bind 127.0.0.2;
              proxy_pass ${system.baseUrl.replace('localhost', '127.0.0.1')};
              proxy_set_header X-Client-Certificate $ssl_client_escaped_cert;
            }
          }
        }`
      const file = join(directory, 'nginx.conf')
      await writeFile(file, configuration)
      return { path: nginx as string, argv: ['-c', file], probe: () => send(proxy, undefined, '/health') }
    })
    await running.start()
    return running
  }

  type Shown = { cert: string; key: string } | undefined

  function send(port: number, shown: Shown, path: string, form?: Record<string, string>, headers = {}) {
    const body = form && String(new URLSearchParams(form))
    return new Promise<{ status: number; json: Record<string, unknown> }>((resolve, reject) => {
      const asked = request(
        {
          ...{ host: '127.0.0.1', servername: 'localhost', port, path, agent: false, ca: server.cert },
          ...shown,
          method: body === undefined ? 'GET' : 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        },
        (answer) => {
          text(answer).then(
            (all) => resolve({ status: answer.statusCode ?? 0, json: JSON.parse(all || '{}') }),
            reject,
          )
        },
      )
      asked.on('error', reject).end(body)
    })
  }

  const machine = { grant_types: ['client_credentials'], redirect_uris: [], scope: 'read' }
  async function created(metadata: object): Promise<string> {
    const answer = await asAdministrator(system, administrator, 'POST', '/admin/api/clients', {
      ...{ client_name: 'App', ...machine, ...metadata },
    })
    const document = (await answer.json()) as { client_id: string; client_secret?: string }
    expect([answer.status, document.client_secret]).toEqual([201, undefined])
    return document.client_id
  }
  const named = { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_subject_dn: 'CN=app,O=Acme' }
  const ask = (port: number, shown: Shown, clientId: string, headers = {}) =>
    send(port, shown, '/oauth/token', { grant_type: 'client_credentials', client_id: clientId }, headers)
  const chained = () => ({ cert: app.cert + intermediate.cert, key: app.key })

  test('get, introspect and revoke tokens at a port of their own, where openid-client finds it', async () => {
    const clientId = await created(named)
    const config = await client.discovery(
      new URL(system.baseUrl),
      clientId,
      { use_mtls_endpoint_aliases: true },
      client.TlsClientAuth(),
      {
        algorithm: 'oauth2',
        execute: [client.allowInsecureRequests],
        [client.customFetch]: async (url, { method, body, headers }) => {
          const { protocol, port, pathname } = new URL(url)
          if (protocol === 'http:') return fetch(url, { method, headers })
          const form = Object.fromEntries(new URLSearchParams(String(body)))
          const { status, json } = await send(Number(port), chained(), pathname, form)
          return Response.json(json, { status })
        },
      },
    )
    const { access_token: token } = await client.clientCredentialsGrant(config, { scope: 'read' })
    expect(await client.tokenIntrospection(config, token)).toMatchObject({
      active: true,
      client_id: clientId,
    })
    await client.tokenRevocation(config, token)
    expect(await client.tokenIntrospection(config, token)).toEqual({ active: false })
  })

  test('are refused without their certificate, and with another one', async () => {
    const clientId = await created(named)
    const stranger = await maker.make({ subject: '/O=Acme/CN=app' })
    const colleague = await maker.make({ subject: '/O=Acme/CN=other', by: intermediate })
    for (const shown of [undefined, stranger, { ...colleague, cert: colleague.cert + intermediate.cert }]) {
      const { status, json } = await ask(mutualTls, shown && { cert: shown.cert, key: shown.key }, clientId)
      expect([status, json.error]).toEqual([401, 'invalid_client'])
    }
    const elsewhere = await system.form('/oauth/token', {
      grant_type: 'client_credentials',
      client_id: clientId,
    })
    expect(elsewhere.status).toBe(401)
    const failures = `/admin/api/client-authentication-failures?client_id=${clientId}`
    const reasons = async () => {
      const answer = await asAdministrator(system, administrator, 'GET', failures)
      const { items } = (await answer.json()) as { items: { reason: string }[] }
      return items.map(({ reason }) => reason).sort()
    }
    await expect.poll(reasons).toEqual(['no_certificate', 'untrusted_certificate', 'wrong_certificate'])
  })

  test('authenticate by a certificate of their own', async () => {
    const [mine, other] = [await maker.make(), await maker.make()]
    const answer = await asAdministrator(system, administrator, 'POST', '/admin/api/clients', {
      ...{ client_name: 'Own', ...machine, token_endpoint_auth_method: 'self_signed_tls_client_auth' },
      jwks: { keys: [jwkOf(mine)] },
    })
    const { client_id: clientId } = (await answer.json()) as { client_id: string }
    expect(answer.status).toBe(201)
    expect((await ask(mutualTls, mine, clientId)).status).toBe(200)
    expect((await ask(mutualTls, other, clientId)).status).toBe(401)
  })

  test('are those of another certificate at once when an administrator names it', async () => {
    const clientId = await created(named)
    expect((await ask(mutualTls, chained(), clientId)).status).toBe(200)
    const change = { tls_client_auth_subject_dn: null, tls_client_auth_san_dns: 'other.example.com' }
    const path = `/admin/api/clients/${clientId}`
    const changed = await asAdministrator(system, administrator, 'PATCH', path, change)
    expect(changed.status).toBe(200)
    expect((await ask(mutualTls, chained(), clientId)).status).toBe(401)
  })

  test('may come through a proxy, which alone can pass a certificate on', async () => {
    const clientId = await created({
      ...{ token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_san_dns: 'app.example.com' },
    })
    expect((await ask(proxy, app, clientId)).status).toBe(200)
    const forged = { 'x-client-certificate': encodeURIComponent(app.cert) }
    // nginx replaces what the caller sends, also by nothing.
    expect((await ask(proxy, undefined, clientId, forged)).status).toBe(401)
    const form = { grant_type: 'client_credentials', client_id: clientId }
    const direct = await system.form('/oauth/token', form, forged)
    expect([direct.status, ((await direct.json()) as { error: string }).error]).toEqual([
      400,
      'invalid_request',
    ])
  })
})

function jwkOf({ cert, der }: MadeCertificate): object {
  const { publicKey } = new X509Certificate(cert)
  return { ...publicKey.export({ format: 'jwk' }), x5c: [der.toString('base64')] }
}
