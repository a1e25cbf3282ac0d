import { expect, test } from 'vitest'
import { redirectUriFault } from '../../src/clients/redirect-uri.ts'

const strict = { bareSchemes: false }

test.each([
  'https://app.example/cb',
  'https://app.example',
  'https://app.example:8443/cb?a=b&c=d',
  'https://app.example/cb?next=%2Fhome',
  'https://app.example/a@b',
  'HTTPS://APP.EXAMPLE/cb',
  'https://[2001:db8::1]/cb',
  'https://my_app.xn--bcher-kva.example/cb',
  'https://app.example/a:',
  'https://app.example/https://ann@b',
  'http://localhost',
  'http://localhost/cb',
  'http://localhost:3000/cb',
  'http://127.0.0.1/cb',
  'http://127.0.0.1:49152/cb',
  'http://[::1]:3000/cb',
  'com.example.app:/cb',
  'com.example.app:/',
  'news.example.app:/cb',
  'mk.example.app:/cb',
  'com.googleusercontent.apps.123-abc:/cb',
  'xn--p1ai.example:/cb',
  'https://app.example/cb?code_from=1&errors=2&a=%C3%BC',
  'com.example.app://host/cb',
  'com.example-corp.app2:/oauth2redirect?a=b',
  'https://app.example/'.padEnd(2_048, 'x'),
])('accepts %s', (uri) => {
  expect(redirectUriFault(uri, strict)).toBeUndefined()
})

test.each([
  ['', 'character'],
  ['/cb', 'absolute'],
  ['app.example/cb', 'absolute'],
  ['//app.example/cb', 'absolute'],
  ['https://', 'absolute'],
  ['https:app.example/cb', 'host'],
  ['https:/app.example/cb', 'host'],
  ['https:///app.example/cb', 'host'],
  ['https:app.example/https://app.example', 'host'],
  ['https://?a=b', 'absolute'],
  ['https://app.example/cb#', 'fragment'],
  ['https://app.example/cb#a', 'fragment'],
  ['com.example.app:/cb#a', 'fragment'],
  ...[
    ...[
      'x-apple.systempreferences',
      'file.x',
      'javascript.x',
      'vbscript.x',
      'about.blank.x',
      'blob.x',
      'intent.x',
    ],
    ...[
      'ms-settings.x',
      'ms-msdt.x',
      'view-source.x',
      'web+a.b',
      'x.apple',
      'x1.example',
      'tel.x',
      'mailto.x',
    ],
    ...[
      'com.',
      'com..app',
      'com.-app',
      'com.app-',
      'com.a+b',
      'filesystem.x',
      'content.x',
      'jar.x',
      'steam+x.y',
    ],
  ].map((scheme): [string, string] => [`${scheme}:/cb`, 'scheme']),
  ['https://*.example/cb', 'host name'],
  ['https://app.example;sandbox/cb', 'host name'],
  ['https://app.example,evil.example/cb', 'host name'],
  ["https://'self'/cb", 'host name'],
  ['https://app%3Bexample/cb', 'host name'],
  ['https://ann@app.example/cb', 'user name'],
  ['https://ann:secret@app.example/cb', 'user name'],
  ['https://@app.example/cb', 'user name'],
  ['https://:@app.example/cb', 'user name'],
  ['https://app.example@evil.example/cb', 'user name'],
  ['com.example.app://ann@host/cb', 'user name'],
  ['http://app.example/cb', 'localhost'],
  ['http://localhost.evil.example/cb', 'localhost'],
  ['http://evil.example/localhost', 'localhost'],
  ['http://evil.example/http://localhost/cb', 'localhost'],
  ['http://127.0.0.1.evil.example/cb', 'localhost'],
  ['http://127.0.0.2/cb', 'localhost'],
  ['http://0.0.0.0/cb', 'localhost'],
  ['http://[::2]/cb', 'localhost'],
  ['http:localhost/cb', 'localhost'],
  ['http:/localhost/cb', 'localhost'],
  ['javascript:alert(1)', 'scheme'],
  ['data:text/html,x', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['ftp://app.example/', 'scheme'],
  ['ws://app.example/', 'scheme'],
  ['myapp:/cb', 'scheme'],
  ['about:blank', 'scheme'],
  ['urn:ietf:wg:oauth:2.0:oob', 'scheme'],
  ['com.example.app:', 'nothing after its scheme'],
  ['com.example.app://', 'nothing after its scheme'],
  ...['code', 'state', 'iss', 'error', 'error_description', 'error_uri'].map((name) => [
    `https://app.example/cb?a=b&${name}=x`,
    `the parameter ${name}`,
  ]),
  ['https://app.example/cb?code', 'the parameter code'],
  ['https://app.example/cb?c%6Fde=x', 'the parameter code'],
  ['com.example.app:/cb?state=', 'the parameter state'],
  ['http://localhost/cb?iss=x', 'the parameter iss'],
  ['https://app.example/%', 'percent-encoding'],
  ['https://app.example/cb?a=%zz', 'percent-encoding'],
  ['https://app.example/%2', 'percent-encoding'],
  ['com.example.app:/%0', 'percent-encoding'],
  ['.com:/cb', 'absolute'],
  ['com..example:/cb', 'scheme'],
  ['com..example.app:/cb', 'scheme'],
  ['https://app.example/c b', 'character'],
  ['https://app.example/cb\r\nSet-Cookie: a=b', 'character'],
  ['https://app.example/cb\n', 'character'],
  [' https://app.example/cb', 'character'],
  ['https://app.example/\tcb', 'character'],
  ['https://app.example/\0', 'character'],
  ['https://app.example\\@evil.example/cb', 'character'],
  ['https://äpp.example/cb', 'character'],
  ['https://app.example/"><script>', 'character'],
  ['https://app.example/{a}', 'character'],
  ['https://app.example:99999/cb', 'absolute'],
  ['https://app.example/'.padEnd(2_049, 'x'), 'longer than 2048'],
])('refuses %j with a reason that mentions %s', (uri, reason) => {
  expect(redirectUriFault(uri, strict)).toContain(reason)
})

test('gives reasons that are valid in an error description, whatever the URI', () => {
  for (const uri of ['https://app.example/"\\', 'http://evil.example', 'é', 'x"y:/']) {
    expect(redirectUriFault(uri, strict)).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  }
})

test.each([
  'cursor://anysphere.cursor-retrieval/oauth',
  'vscode://publisher.extension/cb',
  'myapp:/cb',
  'my-web-app:/cb',
  'comic:/cb',
])('accepts %s only where private-use schemes may be one word', (uri) => {
  expect(redirectUriFault(uri, { bareSchemes: true })).toBeUndefined()
  expect(redirectUriFault(uri, strict)).toContain('scheme')
})

test.each([
  ...['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd'],
  ...[
    'blob:https://app.example/1',
    'about:blank',
    'view-source:https://app.example',
    'mailto:ann@app.example',
  ],
  ...['ftp://app.example/', 'ws://app.example/', 'http://app.example/', 'intent://app#Intent', 'cursor:'],
  // Of programs of the system, and of those that browsers and pages register.
  ...['ssh://host/', 'smb://host/share', 'tel:+49', 'xmpp:ann@app.example', 'applescript://x', 'res://x/y'],
  ...['ms-word:ofe|u', 'ms-settings:display', 'x-apple.systempreferences:', 'web+app:/cb', 'itms-apps://x'],
  ...['chrome-extension://id/cb', 'edge://settings', 'googlechromes://x', 'com..example:/cb'],
])('never accepts %s', (uri) => {
  expect(redirectUriFault(uri, { bareSchemes: true })).toBeDefined()
})
