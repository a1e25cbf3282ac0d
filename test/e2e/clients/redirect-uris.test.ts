import { expectRefusal } from '@gatehouse/test/oauth'
import { sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, expect, test } from 'vitest'

let system: TestSystem
beforeAll(async () => {
  system = await sharedTestSystem()
})

test.each([
  'https://app.example/cb',
  'https://app.example',
  'https://app.example:8443/cb?tenant=a&b=c',
  'https://app.example/a/../b/%2F',
  'https://127.0.0.1/cb',
  'https://xn--mller-kva.example/',
  'http://localhost/cb',
  'http://localhost:3000/cb',
  'http://127.0.0.1/cb',
  'http://127.0.0.1:61023/cb?x=1',
  'http://[::1]/cb',
  'http://[::1]:61023/cb',
  'com.example.app:/cb',
  'com.example.app://cb',
  'com.example.app:/oauth2redirect?x=1',
])('registers %s unchanged', async (uri) => {
  const response = await system.json('/clients/register', { redirect_uris: [uri] })
  expect([response.status, await response.json()]).toEqual([
    201,
    expect.objectContaining({ redirect_uris: [uri] }),
  ])
})

test.each([
  '',
  ' ',
  '/cb',
  'cb',
  '//app.example/cb',
  'app.example/cb',
  'https:',
  'https://',
  'https:///cb',
  'https:app.example/cb',
  'https:/app.example/cb',
  'https://app.example/#',
  'https://app.example/cb#fragment',
  'com.example.app:/cb#fragment',
  'https://user@app.example/',
  'https://user:password@app.example/',
  'https://@app.example/',
  'https://:@app.example/',
  'https://app.example%40evil.example/',
  'https://app.example\\@evil.example/',
  'https://app.example\\.evil.example/',
  'http://localhost@evil.example/',
  'http://localhost:80@evil.example/',
  'com.example.app://user@cb',
  'http://app.example/cb',
  'http://localhost.evil.example/cb',
  'http://evil.localhost/cb',
  'http://localhost./cb',
  'http://127.0.0.1.evil.example/cb',
  'http://127.0.0.2/cb',
  'http://0.0.0.0/cb',
  'http://[::]/cb',
  'http://[::ffff:127.0.0.1]/cb',
  'http://192.168.0.1/cb',
  'http://127.1/cb',
  'http://2130706433/cb',
  'http://0x7f.0.0.1/cb',
  'HTTP://app.example/cb',
  'javascript:alert(1)',
  'javascript://app.example/%0aalert(1)',
  'data:text/html,a',
  'vbscript:a',
  'file:///etc/passwd',
  'blob:https://app.example/a',
  'about:blank',
  'ftp://app.example/',
  'ws://localhost/',
  'myapp:/cb',
  'myapp://cb',
  'urn:ietf:wg:oauth:2.0:oob',
  '.app:/cb',
  'com..app:/cb',
  'https://app.example/\r\nset-cookie: a=b',
  'https://app.example/\n',
  ' https://app.example/',
  'https://app.example/ ',
  'https://app.example/a b',
  'https://app.example/\0',
  'https://app.example/\t',
  'https://münchen.example/',
  'https://app.example/ü',
  'https://app.example/"',
  'https://app.example/<script>',
  'https://app.example:99999/',
  'https://app.example:port/',
  'https://[::1/',
  '*',
  'null',
])('refuses to register %j', async (uri) => {
  const response = await system.json('/clients/register', {
    redirect_uris: ['https://app.example/good', uri],
  })
  expect(await expectRefusal(response, 400, 'invalid_request')).toContain('redirect_uris')
})
