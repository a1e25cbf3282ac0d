import { introspectionOf } from '@gatehouse/test/oauth'
import { goPath, run } from '@gatehouse/test/programs/programs'
import { expect, test } from 'vitest'
import type { SpringApp } from '../tutorials/spring-boot.ts'
import { compileSpring } from './spring.ts'
import type { Workshop } from './workshop.ts'

/** In milliseconds. A compiler, or Java, starts first. */
const patient = 180_000

type Programs = {
  python: string | undefined
  go: string | undefined
  javac: string | undefined
  spring: SpringApp | undefined
}

/** Runs the code of a service, which prints an access token. */
export function machineSnippets(there: () => Workshop, { python, go, javac, spring }: Programs): void {
  const codeFor = async (name: string) => (await there().create('machine')).code[name] ?? ''

  async function expectToken(printed: string) {
    // The default scope of a service is nobody's identity.
    expect(JSON.parse(await introspectionFor(printed.trim()))).toMatchObject({ active: true, scope: 'read' })
  }
  async function introspectionFor(token: string): Promise<string> {
    const { client } = await there().create('machine')
    const { system } = there().provider
    const authorization = `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`
    const answer = await system.form('/oauth/introspect', { token }, { authorization })
    return answer.status === 200 ? answer.text() : introspectionOf(system, token)
  }

  test('gets a service a token with curl', async () => {
    const { stdout } = await run('bash', ['-c', await codeFor('curl')])
    expect(stdout).toMatch(/\}\n$/)
    await expectToken(JSON.parse(stdout).access_token)
  })

  test('gets a service a token with Node.js', async () => {
    const path = await there().save('service/app.mjs', await codeFor('Node.js'))
    const { stdout, stderr } = await run(process.execPath, [path])
    expect(stderr).toBe('')
    await expectToken(stdout)
  })

  test.skipIf(!python)('gets a service a token with Python', async () => {
    const path = await there().save('service.py', await codeFor('Python'))
    const { stdout, stderr } = await run(python ?? '', [path])
    expect([stderr, stdout.trim()]).toEqual(['', expect.stringMatching(/./)])
    await expectToken(stdout)
  })

  test.skipIf(!go)(
    'gets a service a token with Go',
    async () => {
      const path = await there().save('service.go', await codeFor('Go'))
      const env = { ...process.env, GO111MODULE: 'off', GOPATH: goPath, GOFLAGS: '', CGO_ENABLED: '0' }
      const { stdout, stderr } = await run(go ?? '', ['run', path], { env })
      expect([stderr, stdout.trim()]).toEqual(['', expect.stringMatching(/./)])
      await expectToken(stdout)
    },
    patient,
  )

  test.skipIf(!javac || !spring)(
    'gets a service a token with Spring Boot',
    async () => {
      const { code } = await there().create('machine')
      const argv = await compileSpring(
        there(),
        { javac: javac ?? '', spring: spring as SpringApp, code },
        'machine',
      )
      const { stdout } = await run(argv[0] ?? '', argv.slice(1))
      // Its log is there too.
      await expectToken(stdout.split('\n').findLast((line) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(line)) ?? '')
    },
    patient,
  )
}
