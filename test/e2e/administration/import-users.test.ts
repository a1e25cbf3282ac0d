import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logIn } from '@gatehouse/test/browser/browser-login'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { sharedAdmin, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'

const password = 'what they always typed'
const bcryptHash = '$2b$05$9mp77Ivu4vtx2tqIJatxS.Io6iGmDKw.fIzawFaJIOubYf9Qntvoy'
const argon2Hash =
  '$argon2id$v=19$m=4096,t=1,p=1$xVkIIyLa00PV+dP9BuIE8g$QpMSgwGZ5cFf679Wqn4xK7eG03CSOKGY8nXZNmfFYhE'

describe('gatehouse users import', { timeout: 60_000 }, () => {
  let system: TestSystem
  let directory: string
  beforeAll(async () => {
    system = await sharedTestSystem()
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-import-'))
  })

  const { gatehouse } = gatehouseCommand(() => ({
    GATEHOUSE_URL: system.baseUrl,
    GATEHOUSE_PASSWORD: sharedAdmin.password,
  }))

  /** Imports, and reads the summary. */
  async function load(words: string[], input = '') {
    const { code, out, err } = await gatehouse(['users', 'import', ...words, '--json'], {}, input)
    const { seconds: _, dry_run, ...counts } = JSON.parse(out)
    return { code, counts, dryRun: dry_run, err }
  }

  const file = async (name: string, content: string) => {
    const path = join(directory, `${randomUUID()}-${name}`)
    await writeFile(path, content)
    return path
  }
  const lines = (...entries: unknown[]) => entries.map((entry) => JSON.stringify(entry)).join('\n')
  const nobody = { created: 0, exists: 0, invalid: 0, skipped: 0 }
  const nameOf = () => `moved-${randomUUID()}`

  test('people log in with their password as before, and a second run changes nothing', async () => {
    const [ann, bob] = [nameOf(), nameOf()]
    const path = await file(
      'users.ndjson',
      lines(
        { username: ann, password_hash: bcryptHash, email: 'ann@example.com' },
        { username: bob, password_hash: argon2Hash },
      ),
    )
    expect(await load([path])).toMatchObject({ code: 0, counts: { ...nobody, created: 2 }, err: '' })
    for (const name of [ann, bob]) {
      await expect(logIn(system, name, 'something else')).rejects.toThrow()
      await logIn(system, name, password)
    }
    expect(await load([path])).toMatchObject({ code: 0, counts: { ...nobody, exists: 2 } })
    await logIn(system, ann, password)
    const { out } = await gatehouse(['users', 'show', ann])
    expect(out).toMatch(/^e-mail address +ann@example.com$/m)
  })

  test('a dry run says what would be, and stores nothing', async () => {
    const entries = lines({ username: nameOf() }, { username: 'two words' })
    const tried = await load(['-', '--dry-run'], entries)
    expect(tried).toMatchObject({ code: 1, counts: { ...nobody, created: 1, invalid: 1 }, dryRun: true })
    expect(await load(['-'], entries)).toMatchObject({ counts: { ...nobody, created: 1, invalid: 1 } })
  })

  test('a bad entry fails alone, and the report has a line about each', async () => {
    const [ann, carol] = [nameOf(), nameOf()]
    const report = join(directory, `${randomUUID()}.ndjson`)
    const input = `${lines({ username: ann }, { username: carol, nickname: 'c' })}\n{"username":\n${lines(
      { username: 'x\0y' },
      { username: carol, password_hash: 'hunter2hunter2' },
      { username: carol, admin: true },
    )}`
    const done = await load(['-', '--report', report], input)
    expect(done).toMatchObject({ code: 1, counts: { ...nobody, created: 1, invalid: 5 } })
    expect(done.err).toBe('5 could not be imported.\n')
    const written = (await readFile(report, 'utf8')).trim().split('\n')
    const entries = written.map((line) => JSON.parse(line)).sort((one, other) => one.line - other.line)
    expect(entries).toEqual([
      { line: 1, username: ann, outcome: 'created', user_id: expect.any(String) },
      { line: 2, username: carol, outcome: 'invalid', reason: 'It has an unknown field.' },
      { line: 3, username: '', outcome: 'invalid', reason: 'The line is not JSON.' },
      { line: 4, username: 'x\0y', outcome: 'invalid', reason: expect.stringContaining('NUL') },
      {
        line: 5,
        username: carol,
        outcome: 'invalid',
        reason: expect.stringContaining('password_hash is of'),
      },
      { line: 6, username: carol, outcome: 'invalid', reason: expect.stringContaining('no administrators') },
    ])
    expect((await stat(report)).mode & 0o777).toBe(0o600)
    expect(written.join()).not.toContain('hunter2')
    const again = await gatehouse(['users', 'import', '-', '--report', report], {}, input)
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('exists already')])

    const allowed = await load(['-', '--allow-admins'], lines({ username: carol, admin: true }))
    expect(allowed).toMatchObject({ code: 0, counts: { ...nobody, created: 1 } })
    expect((await gatehouse(['users', 'show', carol])).out).toMatch(/^role +owner$/m)
  })

  test('an export of Keycloak is recognised, whole or in several files', async () => {
    const [ann, bob, dora] = [nameOf(), nameOf(), nameOf()]
    const credentials = [
      {
        type: 'password',
        secretData:
          '{"value":"BruFLfFkjH/8erZ26NnrbkOrWiZuQyDRCHD9o0R6Scg=","salt":"Cf9AYCE5pAbb4CKEF0GUTA==","additionalParameters":{}}',
        credentialData:
          '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
      },
    ]
    const id = randomUUID()
    const realm = {
      ...{ id: 'r', realm: 'staff', roles: { realm: [] }, clients: [{ clientId: 'app' }] },
      users: [
        { id, username: ann, enabled: true, firstName: 'Ann', emailVerified: false, credentials },
        { username: 'service-account-app', enabled: true, serviceAccountClientId: 'app' },
      ],
    }
    const whole = await file('realm.json', JSON.stringify(realm, undefined, 2))
    expect(await load([whole])).toMatchObject({ code: 0, counts: { ...nobody, created: 1, skipped: 1 } })
    await logIn(system, ann, 'password')
    expect((await gatehouse(['users', 'show', id])).out).toMatch(/^given name +Ann$/m)

    const part = (...users: object[]) => JSON.stringify({ realm: 'staff', users })
    const parts = [
      await file('staff-users-0.json', part({ username: bob, enabled: false, credentials })),
      await file('staff-users-1.json', part({ username: dora, enabled: true, credentials })),
    ]
    expect(await load(parts)).toMatchObject({ code: 0, counts: { ...nobody, created: 2 } })
    await logIn(system, dora, 'password')
    await expect(logIn(system, bob, 'password')).rejects.toThrow()
  })

  test('hundreds of users and passwords are sent in batches that the server takes', async () => {
    const users = Array.from({ length: 1_203 }, (_, index) => ({
      username: `${nameOf()}`,
      ...(index % 20 === 0 && { password }),
    }))
    expect(await load(['-', '--parallel', '3'], lines(...users))).toMatchObject({
      code: 0,
      counts: { ...nobody, created: 1_203 },
    })
    await logIn(system, users[1_200]?.username ?? '', password)
    const { out } = await gatehouse(['audit', 'list', '--action', 'users.import', '--limit', '5', '--json'])
    expect(JSON.parse(out).items[0]).toMatchObject({ action: 'users.import', actor: { name: 'admin' } })
    expect(out).not.toContain('$argon2')
  })

  test.each([
    ['a file that is not there', ['/nowhere/users.json'], '', 2, 'cannot be read (ENOENT)'],
    ['an empty file', ['-'], '', 1, 'The file is empty.'],
    ['a table', ['-'], 'name,password\na,b', 2, 'The file is not JSON.'],
    ['a realm without users', ['-'], '{"realm":"x",\n"users":[]}', 1, 'The file has nothing to import.'],
    ['a realm that is cut off', ['-'], '{"realm":"x",\n"users":[', 1, 'not JSON, or incomplete'],
    ['no parallel request', ['-', '--parallel', '0'], '{}', 2, 'must be from 1 to 16'],
  ])('%s is an error', async (_, words, input, code, message) => {
    const ended = await gatehouse(['users', 'import', ...words], {}, input)
    expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(message)])
  })
})
