import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { program } from '@gatehouse/test/programs/programs'
import { createCertificateAuthority } from '@gatehouse/test/servers/certificates'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AddressRule, addressRule, anyAddress } from '../../src/fetch/address-rule.ts'
import { createFetcher, type FetcherDeps } from '../../src/fetch/guarded-fetch.ts'

const openssl = await program('openssl')
const json = { takesType: (type: string) => type === 'application/json' }
const atEnd: (() => unknown)[] = []
let server: Server
let answer: RequestListener
let connections = 0

beforeEach(async () => {
  connections = 0
  answer = (_request, response) => response.setHeader('content-type', 'application/json').end('{}')
  server = createServer((request, response) => answer(request, response))
  server.on('connection', () => {
    connections += 1
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(() => {
  server.close().closeAllConnections()
  for (const step of atEnd.splice(0)) step()
})

const portOf = (listening: Server) => (listening.address() as AddressInfo).port
const at = (host: string) => new URL(`http://${host}:${portOf(server)}/document`)

function fetcher(rule: AddressRule = anyAddress, deps: Partial<FetcherDeps> = {}) {
  const made = createFetcher({ rule, ...deps })
  atEnd.push(() => made.close())
  return made
}

/** A resolver that gives these answers one after the other, and then the last one again. */
function resolver(...answers: string[][]) {
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    return answers[Math.min(asked.length, answers.length) - 1] ?? []
  }
  return { resolve, asked }
}

describe('a rebinding name', () => {
  const rule: AddressRule = { someWithoutTls: true, allows: (address) => address === '127.0.0.1' }

  test('is resolved once, and the connection goes to the address that was checked', async () => {
    const { resolve, asked } = resolver(['127.0.0.1'], ['127.0.0.2'])
    const { body } = await fetcher(rule, { resolve }).get(at('rebind.example'), json)
    expect([body.toString(), asked]).toEqual(['{}', ['rebind.example']])
  })

  test('is checked again for the next connection', async () => {
    const { resolve } = resolver(['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1'])
    const one = fetcher(rule, { resolve, connections: 1 })
    const post = () => one.post(at('rebind.example'), { body: Buffer.from('{}'), headers: {} })
    expect(await post()).toMatchObject({ status: 200 })
    server.closeAllConnections()
    await expect(post()).rejects.toThrow('special address, which is not allowed')
    expect(await post()).toMatchObject({ status: 200 })
  })

  test('leads only to those of its addresses that are allowed', async () => {
    const { resolve } = resolver(['127.0.0.3', '127.0.0.1'])
    expect(await fetcher(rule, { resolve }).get(at('rebind.example'), json)).toHaveProperty('body')
  })
})

test.each([
  ...['127.0.0.1', '2130706433', '0x7f.1', '127.1', '169.254.169.254', '10.0.0.1', '[::1]', '[::]'],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[fd00::1]',
    '[fe80::1]',
    '[2002:7f00:1::]',
  ],
])('nothing is sent to %s by default', async (host) => {
  const url = new URL(`https://${host}:${portOf(server)}/`)
  await expect(fetcher(addressRule()).get(url, json)).rejects.toThrow(
    /^the server has a private or otherwise special address, which is not allowed$/,
  )
  expect(connections).toBe(0)
})

test.each([['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['64:ff9b::7f00:1']])(
  'a name of %s is refused by default',
  async (address) => {
    const { resolve } = resolver([address])
    const url = new URL(`https://inside.example:${portOf(server)}/`)
    await expect(fetcher(addressRule(), { resolve }).get(url, json)).rejects.toThrow('special address')
    expect(connections).toBe(0)
  },
)

test('http is refused, but not in an allowed network', async () => {
  await expect(fetcher(addressRule()).get(at('127.0.0.1'), json)).rejects.toThrow('not an https:// URL')
  const { resolve } = resolver(['1.1.1.1'])
  const rule = addressRule('10.0.0.0/8 127.0.0.0/8')
  await expect(fetcher(rule, { resolve }).get(at('public.example'), json)).rejects.toThrow('special address')
  expect(await fetcher(rule).get(at('127.0.0.1'), json)).toHaveProperty('body')
  for (const scheme of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:application/json,{}'])
    await expect(fetcher(rule).get(new URL(scheme), json)).rejects.toThrow('not an https:// URL')
})

test.each([
  '10.0.0.0',
  '10.0.0.0/33',
  '10.0.0.0/',
  'example.com/8',
  '::/129',
  'fe80::1%eth0/64',
  '10.0.0.0/8,::/0',
])('OAUTH2_FETCH_ALLOWED_NETWORKS must be ranges: %s is none', (range) => {
  expect(() => addressRule(range)).toThrow(/^OAUTH2_FETCH_ALLOWED_NETWORKS must be CIDR ranges/)
})

test('a redirect is not followed', async () => {
  const paths: unknown[] = []
  answer = ({ url }, response) => {
    paths.push(url)
    response.writeHead(302, { location: '/elsewhere', 'content-type': 'application/json' }).end('{}')
  }
  await expect(fetcher().get(at('127.0.0.1'), json)).rejects.toThrow('302; redirects are not followed')
  expect(await fetcher().post(at('127.0.0.1'), { body: Buffer.of(), headers: {} })).toMatchObject({
    status: 302,
  })
  expect(paths).toEqual(['/document', '/document'])
})

test.each([201, 204, 404, 500])('a document with the status %i is not taken', async (status) => {
  answer = (_request, response) => response.writeHead(status, { 'content-type': 'application/json' }).end()
  await expect(fetcher().get(at('127.0.0.1'), json)).rejects.toThrow(`answered ${status} instead of 200`)
})

test.each(['text/html', 'application/jsonp', ''])(
  'a document of the media type %j is not taken',
  async (type) => {
    answer = (_request, response) => response.writeHead(200, { 'content-type': type }).end('{"secret":1}')
    await expect(fetcher().get(at('127.0.0.1'), json)).rejects.toThrow(
      /^the server’s document was not taken: its answer has the wrong Content-Type$/,
    )
  },
)

test('a media type is compared without its parameters and ignoring case', async () => {
  answer = (_request, response) =>
    response.writeHead(200, { 'content-type': 'Application/JSON; charset=utf-8' }).end('{}')
  expect((await fetcher().get(at('127.0.0.1'), json)).body.toString()).toBe('{}')
})

test('a compressed document is not taken: it could unfold to any size', async () => {
  answer = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x')
  await expect(fetcher().get(at('127.0.0.1'), json)).rejects.toThrow('Content-Encoding')
})

test('a body of 5 KiB is read, and one that is larger is not, whatever its Content-Length says', async () => {
  let bytes = 5 * 1_024
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('x'.repeat(bytes))
  }
  expect((await fetcher().get(at('127.0.0.1'), json)).body).toHaveLength(bytes)
  bytes += 1
  await expect(fetcher().get(at('127.0.0.1'), json)).rejects.toThrow('more than 5120 bytes')
  const { body } = await fetcher().get(at('127.0.0.1'), { ...json, maxBytes: 6_000 })
  expect(body).toHaveLength(bytes)
})

test('an answer that drips is given up when the time is over', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const drip = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(drip))
  }
  const begun = Date.now()
  await expect(fetcher(anyAddress, { timeoutMs: 300 }).get(at('127.0.0.1'), json)).rejects.toThrow(
    /^the server did not answer within 0.3 s$/,
  )
  expect(Date.now() - begun).toBeLessThan(1_500)
})

test('a look-up that is not finished ends with its request', async () => {
  const ended: boolean[] = []
  const resolve = (_name: string, signal: AbortSignal) =>
    new Promise<string[]>((_, fail) => {
      signal.addEventListener('abort', () => {
        ended.push(true)
        fail(signal.reason)
      })
    })
  const one = fetcher(anyAddress, { timeoutMs: 100, resolve })
  await expect(one.get(at('silent.example'), json)).rejects.toThrow('did not answer within 0.1 s')
  await expect.poll(() => ended).toEqual([true])
})

test('closing aborts the requests under way', async () => {
  answer = () => undefined
  const one = fetcher()
  const pending = one.get(at('127.0.0.1'), json)
  await once(server, 'request')
  one.close()
  await expect(pending).rejects.toThrow('cannot be reached')
})

test.skipIf(openssl === undefined)(
  'with TLS the certificate must be for the name, not for the address',
  async () => {
    const authority = await createCertificateAuthority(openssl as string)
    atEnd.push(authority.remove)
    const files = await authority.issue(['DNS:documents.example'])
    const [ca, cert, key] = await Promise.all([
      readFile(files.OAUTH2_GRPC_TLS_CA, 'utf8'),
      readFile(files.OAUTH2_GRPC_TLS_CERT),
      readFile(files.OAUTH2_GRPC_TLS_KEY),
    ])
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, ca])
    atEnd.push(() => setDefaultCACertificates(before))
    const names: unknown[] = []
    const tls = createTlsServer({ cert, key }, (request, response) => {
      names.push((request.socket as unknown as { servername: unknown }).servername)
      response.setHeader('content-type', 'application/json').end('{}')
    })
    await once(tls.listen(0, '127.0.0.1'), 'listening')
    atEnd.push(() => tls.close())
    const rule = addressRule('127.0.0.0/8')
    const { resolve } = resolver(['127.0.0.1'])
    const port = portOf(tls)
    const one = fetcher(rule, { resolve })
    expect(await one.get(new URL(`https://documents.example:${port}/`), json)).toHaveProperty('body')
    expect(names).toEqual(['documents.example'])
    for (const host of ['other.example', '127.0.0.1'])
      await expect(one.get(new URL(`https://${host}:${port}/`), json)).rejects.toThrow(
        'ERR_TLS_CERT_ALTNAME_INVALID',
      )
  },
)

describe('fetch', () => {
  test('sends any method, headers and form, and gives the answer whatever its status', async () => {
    const requests: object[] = []
    answer = async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { method, headers } = request
      requests.push({ method, body, type: headers['content-type'], given: headers['x-given'] })
      response.writeHead(409, { 'x-answered': 'yes' }).end('conflict')
    }
    const init = { method: 'PUT', headers: { 'x-given': 'a' }, body: new URLSearchParams({ a: 'b c' }) }
    const response = await fetcher().fetch(at('127.0.0.1'), init)
    expect([response.status, response.headers.get('x-answered'), await response.text()]).toEqual([
      409,
      'yes',
      'conflict',
    ])
    const type = 'application/x-www-form-urlencoded;charset=UTF-8'
    expect(requests).toEqual([{ method: 'PUT', body: 'a=b+c', type, given: 'a' }])
  })

  test('follows no redirect, and reads no more than 128 KiB', async () => {
    answer = (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end()
    expect(await fetcher().fetch(at('127.0.0.1'))).toMatchObject({ status: 302 })
    answer = (_request, response) => response.end(Buffer.alloc(131_073))
    await expect(fetcher().fetch(at('127.0.0.1'))).rejects.toThrow('more than 131072 bytes')
  })

  test('goes nowhere that the rule does not allow', async () => {
    await expect(fetcher(addressRule()).fetch(at('127.0.0.1'))).rejects.toThrow('not an https:// URL')
    const rule = addressRule('10.0.0.0/8')
    await expect(fetcher(rule).fetch(at('127.0.0.1'))).rejects.toThrow(
      'special address, which is not allowed',
    )
  })
})
