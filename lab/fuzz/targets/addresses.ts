import { isIPv4, isIPv6 } from 'node:net'
import { isPublicAddress } from '@gatehouse/kit/fetch/public-address'
import { networkOf } from '@gatehouse/kit/network'
import { identifierFault, sameIdentifiers } from '@gatehouse/proto/resource-servers'
import fc from 'fast-check'
import { redirectUriFault } from '../../../services/client-registry/src/clients/redirect-uri.ts'
import { clientIdUrlFault } from '../../../services/client-registry/src/documents/client-id-url.ts'
import { readableTarget, unreadableTarget } from '../../../services/gateway/src/http/request-target.ts'
import { pathWithReturn, returnPath } from '../../../services/gateway/src/people/pages/return-to.ts'
import {
  comparableRedirectUri,
  isRegisteredRedirectUri,
} from '../../../services/token/src/clients/redirect-uri.ts'
import { texts } from '../inputs.ts'
import { must, target } from '../target.ts'

const uris = [
  ...[
    'https://app.example/cb',
    'https://app.example:8443/cb?x=1',
    'http://127.0.0.1:8080/cb',
    'http://[::1]/cb',
  ],
  ...[
    'http://localhost:3000/',
    'com.example.app:/cb',
    'cursor://cb',
    'https://app.example/cb?x=%20',
    'http://127.0.0.1',
  ],
]
const pieces = [
  ...[
    'http',
    'https',
    'HTTPS',
    'javascript',
    'data',
    'com.example',
    'ms-word',
    ':',
    '://',
    ':/',
    '//',
    '/',
    '\\',
    '?',
    '#',
  ],
  ...[
    '@',
    'user',
    'app.example',
    'localhost',
    '127.0.0.1',
    '[::1]',
    '127.1',
    '2130706433',
    '0x7f.1',
    '[::ffff:7f00:1]',
  ],
  ...[
    ':80',
    ':443',
    ':0',
    ':99999',
    ':08',
    ':',
    '/cb',
    '/.',
    '/..',
    '/%2e%2e',
    'code=1',
    '&state=',
    'iss',
    '%',
    '%zz',
  ],
]
const uri = texts(pieces, fc.constantFrom(...uris))

/** A URI that may be registered leads to a host that its text names, or to an app. */
const redirectUris = target({
  name: 'redirect-uri',
  reads: ['client-registry/src/clients/redirect-uri.ts#redirectUriFault'],
  inputs: fc.record({ uri, bareSchemes: fc.boolean() }),
  check({ uri: text, bareSchemes }) {
    if (redirectUriFault(text, { bareSchemes }) !== undefined) return
    const { protocol, username, password, hash, hostname, searchParams } = new URL(text)
    must(username === '' && password === '' && hash === '', 'parts that no redirect URI may have')
    must(!searchParams.has('code') && !searchParams.has('iss'), 'a parameter of the response')
    const dangerous = [
      'javascript:',
      'data:',
      'vbscript:',
      'file:',
      'blob:',
      'about:',
      'view-source:',
      'filesystem:',
    ]
    must(!dangerous.includes(protocol), 'a dangerous scheme')
    must(
      bareSchemes || protocol === 'https:' || protocol === 'http:' || protocol.includes('.'),
      'a bare scheme',
    )
    if (protocol === 'http:') must(['localhost', '127.0.0.1', '[::1]'].includes(hostname), 'http to a host')
    const [, authority = ''] = /^https?:\/\/([^/?]*)/i.exec(text) ?? []
    const written = decodeURIComponent(authority.replace(/:\d*$/, '')).toLowerCase()
    const isNumber = /^\[|^[\dx.a-f]+$/.test(written)
    if (protocol === 'https:') must(isNumber || written === hostname, 'another host than in its text')
  },
})

/** A redirect URI matches only itself, or itself with another port where that may differ, as the URL parser sees it. */
const redirectMatches = target({
  name: 'redirect-match',
  reads: [
    'token/src/clients/redirect-uri.ts#isRegisteredRedirectUri',
    'token/src/clients/redirect-uri.ts#comparableRedirectUri',
  ],
  inputs: fc.record({ requested: uri, registered: uri, port: fc.nat(99_999), byDocument: fc.boolean() }),
  check({ requested, registered, port, byDocument }) {
    const moved = registered.replace(/^(http:\/\/[^/?#]*?)(:\d+)?(?=[/?#]|$)/, `$1:${port}`)
    for (const sent of [requested, registered, moved]) {
      const matches = isRegisteredRedirectUri(sent, [registered], byDocument)
      const comparable = [sent, registered].map((text) => comparableRedirectUri(text, byDocument))
      must(matches === (sent === registered || comparable[0] === comparable[1]), 'two rules for the same')
      if (!matches || sent === registered) continue
      const [one, other] = [URL.parse(sent), URL.parse(registered)]
      must(one !== null && other !== null, 'a match of no URL')
      const hosts = ['127.0.0.1', '[::1]', ...(byDocument ? ['localhost'] : [])]
      must(one.protocol === 'http:' && hosts.includes(one.hostname), 'another port of another host')
      one.port = other.port
      must(one.href === other.href, 'a match that differs in more than its port')
    }
  },
})

/** The address of a metadata document is fetched at the host and path that its text names. */
const clientIds = target({
  name: 'client-id-url',
  reads: ['client-registry/src/documents/client-id-url.ts#clientIdUrlFault'],
  inputs: uri,
  check(text) {
    if (clientIdUrlFault(text) !== undefined) return
    const url = new URL(text)
    must(url.protocol === 'https:' && url.username === '' && url.password === '', 'not plain https')
    must(url.hash === '' && url.pathname.length > 0, 'a fragment')
    const [, authority = '', rest = ''] = /^https:\/\/([^/]*)(.*)$/.exec(text) ?? []
    // The parser writes an apostrophe of a query in another way.
    const written = rest.replace(/\?.*/, (query) => query.replaceAll("'", '%27'))
    must(url.href.slice(url.origin.length) === written, 'another path than in its text')
    const host = authority.toLowerCase().replace(/:\d*$/, '')
    must(/^\[|^[\dx.a-f]+$/.test(host) || host === url.hostname, 'another host than in its text')
  },
})

/** Resource indicators (RFC 8707). */
const identifiers = target({
  name: 'resource',
  reads: ['proto/resource-servers.ts#identifierFault', 'proto/resource-servers.ts#sameIdentifiers'],
  inputs: uri,
  check(text) {
    const same = sameIdentifiers(text)
    must(
      same.length === 1 ? same[0] === text : same.includes(text),
      'an identifier that is not the same as itself',
    )
    if (identifierFault(text) === undefined)
      must(URL.canParse(text) && !text.includes('#'), 'not an absolute URI')
  },
})

/** Where a login leads back to: the same path for us and for every browser, on our own origin. */
const returns = target({
  name: 'return-to',
  reads: ['gateway/src/people/pages/return-to.ts#returnPath'],
  inputs: texts(
    [...pieces, '/account', '?a=b', '\t', '\n'],
    fc.constantFrom('/account', '/oauth/continue?flow=1'),
  ),
  check(value) {
    const path = returnPath(value)
    if (path === undefined) return
    for (const base of ['https://auth.example/auth/login', 'http://localhost:8080/x/y']) {
      const url = new URL(path, base)
      must(url.origin === new URL(base).origin && url.pathname + url.search === path, 'another place')
    }
    must(returnPath(path) === path, 'a path that is no path the second time')
    must(/^[\x21-\x7e]*$/.test(pathWithReturn('/auth/login', path)), 'an address with other characters')
  },
})

/** Request targets: whatever comes, the router gets a path that it can decode. */
const targets = target({
  name: 'request-target',
  reads: ['gateway/src/http/request-target.ts#readableTarget'],
  inputs: texts(
    [...pieces, '*', 'GET'],
    fc.constantFrom('/oauth/token', 'http://auth.example/oauth/token?x=1'),
  ),
  check(sent) {
    const address = readableTarget(sent)
    must(address.startsWith('/') && !address.includes('#'), 'no path')
    if (address !== unreadableTarget) decodeURIComponent(address.split('?', 1)[0] ?? '')
  },
})

const ipv4 = fc.ipV4().map((address) => address)
const ipv6 = fc.oneof(
  fc.ipV6(),
  ipv4.map((address) => `::ffff:${address}`),
)
const ips = texts(
  ['::', ':', '1', 'ffff', '127.0.0.1', '[', ']', ':80', '%eth0', '64:ff9b::', '0'],
  fc.oneof(
    ipv4,
    ipv6,
    ipv6.map((address) => `[${address}]:443`),
    ipv4.map((address) => `${address}:80`),
  ),
)

/** Addresses of callers and of hosts. */
const networks = target({
  name: 'network',
  reads: ['kit/src/network.ts#networkOf', 'kit/src/fetch/public-address.ts#isPublicAddress'],
  inputs: ips,
  check(address) {
    const network = networkOf(address)
    if (isIPv4(address)) must(network === address, 'another address')
    if (isIPv6(address)) must(isIPv4(network) || /^[\da-f:]+::\/64(%.*)?$/.test(network), 'no network')
    if (isIPv4(address))
      must(
        isPublicAddress(address) === isPublicAddress(`::ffff:${address}`),
        'a mapped address counts otherwise',
      )
    isPublicAddress(address)
  },
})

/** Targets of addresses. */
export const addressTargets = [
  redirectUris,
  redirectMatches,
  clientIds,
  identifiers,
  returns,
  targets,
  networks,
]
