import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { renderSummary } from '../src/summary.ts'

const run = promisify(execFile)
const facts = {
  baseUrl: 'http://localhost:8080',
  username: 'root',
  dataDirectory: '/home/me/gatehouse/.gatehouse',
  registration: 'open',
  openid: false,
  milliseconds: 1_960,
}

test('it shows a password only when there is one to show, and colours only when they are wanted', () => {
  const later = renderSummary(facts, false, '/home/me/gatehouse')
  expect(later).not.toMatch(/password/i)
  expect(later).toContain('ready in 2.0 s')
  expect(later).toMatch(/^ {2}Data +\.gatehouse$/m)
  expect(later).toMatch(/^ {2}Logs +\.gatehouse\/logs$/m)
  expect(later).not.toContain('\u001b')
  const first = renderSummary({ ...facts, password: 'abc' }, true, '/')
  expect(first).toContain('\u001b[')
  const plain = stripVTControlCharacters(first)
  expect(plain).toContain('user root, password abc')
  expect(plain.split('\n').every((line) => line.length <= 110)).toBe(true)
})

test('it does not offer a registration that is closed', () => {
  const text = renderSummary({ ...facts, registration: 'closed' }, false)
  expect(text).not.toContain('curl')
  expect(text).toContain('create a client on the admin page')
})

test('an OpenID provider shows what its apps need', () => {
  const text = renderSummary({ ...facts, baseUrl: 'http://localhost:8181', openid: true }, false)
  expect(text).toContain('http://localhost:8181/.well-known/openid-configuration')
  expect(text).toMatch(
    /^ *GATEHOUSE_URL=http:\/\/localhost:8181 \.\/gatehouse clients create .*openid profile email/ms,
  )
  expect(text).not.toContain('curl')
})

test.each([
  ['sh', 'open'],
  ['bash', 'open'],
  ['sh', 'token'],
])('what it shows can be pasted into %s when registration is %s', async (shell, registration) => {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    const { authorization = '' } = request.headers
    asked.push(`${request.method} ${request.url} ${authorization} ${body}`)
    const client = { client_id: 'client_1', client_secret: 'a-b_c' }
    response.end(JSON.stringify(request.url === '/clients/register' ? client : { access_token: 'x' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const text = renderSummary({ ...facts, baseUrl: `http://127.0.0.1:${port}`, registration }, false)
  const command = /^ *curl.*?\n\n/ms.exec(text)?.[0] ?? ''
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const env = { PATH, OAUTH2_REGISTRATION_TOKEN: 'may-register' }
  const { stdout, stderr } = await run(shell, [...(shell === 'bash' ? ['--norc'] : []), '-c', command], {
    env,
  })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({ access_token: 'x' })
  const bearer = registration === 'token' ? 'Bearer may-register' : ''
  const basic = Buffer.from('client_1:a-b_c').toString('base64')
  expect(asked).toEqual([
    `POST /clients/register ${bearer} {"client_name":"first","grant_types":["client_credentials"],"scope":"read"}`,
    `POST /oauth/token Basic ${basic} grant_type=client_credentials&scope=read`,
  ])
})
