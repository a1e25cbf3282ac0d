import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Type } from '@gatehouse/proto/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { unknownVariables } from '../../src/config/unknown-variables.ts'
import { followSecret } from '../../src/files/follow-secret.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const password = Type.String({
  minLength: 8,
  secret: true,
  rule: 'a password of 8 characters',
  description: 'A secret.',
})
const schema = Type.Object({
  PASSWORD: Type.Optional(password),
  NAME: Type.Optional(Type.String({ description: 'A name.' })),
})

let directory: string
const atEnd: (() => unknown)[] = []
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatehouse-secrets-'))
})
afterAll(async () => {
  for (const step of atEnd) await step()
  await rm(directory, { recursive: true, force: true })
})

async function file(content: string | Buffer): Promise<string> {
  const path = join(directory, 'password')
  await writeFile(path, content)
  return path
}

test.each([
  ['secret text', 'secret text'],
  ['secret text\n', 'secret text'],
  ['secret text\r\n', 'secret text'],
  ['secret text\n\n', 'secret text\n'],
  [' secret text ', ' secret text '],
])('the content %j of a file is the value %j', async (content, value) => {
  expect(loadConfig(schema, { PASSWORD_FILE: await file(content), PASSWORD: '' })).toEqual({
    PASSWORD: value,
  })
})

test('a file that cannot be the value is an error in a line, beside those of other variables', async () => {
  const failure = (environment: Record<string, string>) => {
    try {
      return loadConfig(
        Type.Object({ ...schema.properties, LEVEL: Type.Integer({ rule: 'a number' }) }),
        environment,
      )
    } catch (error) {
      return (error as Error).message.split('\n')
    }
  }
  const level = 'LEVEL must be a number; it is not set'
  expect(failure({ PASSWORD_FILE: '/nowhere' })).toEqual([
    'PASSWORD_FILE names /nowhere, which cannot be read: no such file or directory',
    level,
  ])
  expect(failure({ PASSWORD_FILE: directory })).toEqual([
    `PASSWORD_FILE names ${directory}, which cannot be read: illegal operation on a directory`,
    level,
  ])
  for (const [fault, content] of [
    ['empty', ''],
    ['empty', '\n'],
    ['too large for a secret', 'x'.repeat(10_000_000)],
    ['not UTF-8', Buffer.from('secret text', 'utf16le').fill(0xff, 0, 2)],
  ] as const)
    expect(failure({ PASSWORD_FILE: await file(content) })).toEqual([
      `PASSWORD_FILE names ${join(directory, 'password')}, which is ${fault}`,
      level,
    ])
  // Somebody put the secret itself there.
  expect(failure({ PASSWORD_FILE: 'secret text' })).toEqual([
    'PASSWORD_FILE names something that is no path with a / at its start, which cannot be read: no such file or directory',
    level,
  ])
  expect(failure({ PASSWORD_FILE: await file('secret text'), PASSWORD: 'other text' })).toEqual([
    'PASSWORD and PASSWORD_FILE are both set: keep one of them',
    level,
  ])
  expect(failure({ PASSWORD_FILE: await file('short') })).toEqual([
    'PASSWORD must be a password of 8 characters; its value has 5 characters',
    level,
  ])
})

test('only a secret may be in a file, and such a variable is no unknown one', async () => {
  expect(loadConfig(schema, { NAME_FILE: await file('a name') })).toEqual({})
  const names = {
    OAUTH2_JWT_SECRET_FILE: '/a',
    OAUTH2_DATABASE_URL_FILE: '/b',
    OAUTH2_SERVER_PORT_FILE: '/c',
  }
  expect(unknownVariables(names)).toEqual([expect.stringContaining('OAUTH2_SERVER_PORT_FILE is unknown')])
})

test('a file that the user of the process may not read is an error in a line', async () => {
  const path = await file('secret text')
  await chmod(path, 0)
  await chmod(directory, 0o755)
  const module = new URL('../../src/config/secret-file.ts', import.meta.url).href
  const script = `import { secretOf } from '${module}'; try { secretOf('A', { A_FILE: '${path}' }) } catch (error) { console.log(error.message) }`
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    user,
  )
  expect(stdout).toBe(`A_FILE names ${path}, which cannot be read: permission denied\n`)
  await rm(path)
})

/** Follows PASSWORD_FILE, and closes that at the end. */
async function follow(path: string, tryOut?: (value: string) => Promise<void>) {
  const { log, lines } = recordedLog()
  const context = { log, onShutdown: (step: () => unknown) => void atEnd.push(step) }
  const options = { name: 'PASSWORD', schema: password, value: 'first secret', lookEveryMs: 20 }
  const current = await followSecret(context, {
    ...options,
    environment: { PASSWORD_FILE: path },
    ...(tryOut && { tryOut }),
  })
  return { current, messages: () => lines.map(({ msg }) => msg), text: () => JSON.stringify(lines) }
}
const [fails, works, read] = ['failed; will be tried again', 'works again', 'the secret was read again']

test('a secret that is followed has the current content of its file; what is invalid is not taken', async () => {
  const { current, messages, text } = await follow(await file('first secret'))
  expect(current()).toBe('first secret')
  await file('short')
  await expect.poll(messages).toEqual([fails])
  expect(current()).toBe('first secret')
  await file('second secret\n')
  await expect.poll(messages).toEqual([fails, read, works])
  expect(current()).toBe('second secret')
  // Written again with what it had.
  await file('second secret')
  await sleep(200)
  expect(messages()).toHaveLength(3)
  expect(text()).not.toMatch(/short|first|second/)
})

test('a file that is gone for a moment costs one line, and its value stays', async () => {
  const path = await file('first secret')
  const { current, messages, text } = await follow(path)
  await rename(path, `${path}.old`)
  await expect.poll(messages).toEqual([fails])
  await sleep(200)
  expect(messages()).toEqual([fails])
  expect(current()).toBe('first secret')
  expect(text()).toContain(path)
  await writeFile(`${path}.new`, 'second secret')
  await rename(`${path}.new`, path)
  await expect.poll(current).toBe('second secret')
})

test('a secret is read again when Kubernetes changes its directory', async () => {
  for (const [version, content] of Object.entries({ v1: 'first secret', v2: 'second secret' })) {
    await mkdir(join(directory, version))
    await writeFile(join(directory, version, 'mounted'), content)
  }
  await symlink('v1', join(directory, '..data'))
  await symlink('..data/mounted', join(directory, 'mounted'))
  const { current } = await follow(join(directory, 'mounted'))
  await symlink('v2', join(directory, '..new'))
  await rename(join(directory, '..new'), join(directory, '..data'))
  await rm(join(directory, 'v1'), { recursive: true })
  await expect.poll(current).toBe('second secret')
})

test('a changed secret is taken once it works', async () => {
  let works = false
  const { current, messages } = await follow(await file('first secret'), async () => {
    if (!works) throw new Error('not yet')
  })
  await file('second secret')
  await expect.poll(messages).toEqual([fails])
  expect(current()).toBe('first secret')
  works = true
  await expect.poll(current).toBe('second secret')
})

test('a secret that changed while the process started is the current one', async () => {
  const { current, messages } = await follow(await file('other secret'), () =>
    Promise.reject(new Error('no')),
  )
  expect(current()).toBe('other secret')
  expect(messages()).toEqual([])
})

test('a secret that is in no file stays', async () => {
  const { log } = recordedLog()
  const options = { name: 'PASSWORD', schema: password, value: 'first secret', environment: {} }
  expect((await followSecret({ log, onShutdown() {} }, options))()).toBe('first secret')
})
