import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { untilReady } from '@gatehouse/test/oauth'
import { program, run } from '@gatehouse/test/programs/programs'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const grpcurl = await program('grpcurl')

describe.skipIf(grpcurl === undefined)('grpcurl, in a system that the launcher started', () => {
  let system: TestSystem
  beforeAll(async () => {
    system = await startTestSystem()
    await untilReady(system)
  })
  afterAll(() => system?.stop())

  function addressOf(name: string): string {
    const log = readFileSync(join(system.dataDirectory, `logs/${name}.log`), 'utf8')
    return `127.0.0.1:${/"grpcPort":(\d+)/.exec(log)?.[1]}`
  }
  const ask = (...argv: string[]) => run(grpcurl as string, ['-plaintext', '-max-time', '20', ...argv])

  test.each([
    ['token', ['gatehouse.audit.v1.AuditService', 'gatehouse.token.v1.TokenService']],
    ['client-registry', ['gatehouse.clientregistry.v1.ClientRegistryService']],
    ['identity', ['gatehouse.identity.v1.IdentityService', 'gatehouse.mail.v1.MailService']],
    ['events', ['gatehouse.events.v1.EventsService']],
  ])('lists what %s answers', async (name, services) => {
    const { ok, stdout } = await ask(addressOf(name), 'list')
    expect(ok).toBe(true)
    const shown = stdout.trim().split('\n')
    expect(shown).toEqual(expect.arrayContaining(services))
    expect(shown).toEqual(
      expect.arrayContaining(['gatehouse.telemetry.v1.TelemetryService', 'grpc.health.v1.Health']),
    )
  })

  test('describes a method and calls it, with the messages in JSON', async () => {
    const token = addressOf('token')
    const described = await ask(token, 'describe', 'gatehouse.token.v1.TokenService.IntrospectTokens')
    expect(described.stdout).toContain('rpc IntrospectTokens (')
    const answered = await ask(token, 'grpc.health.v1.Health/Check')
    expect(JSON.parse(answered.stdout)).toEqual({ status: 'SERVING' })
    const metrics = await ask(addressOf('identity'), 'gatehouse.telemetry.v1.TelemetryService/GetMetrics')
    expect(JSON.parse(metrics.stdout).text).toContain('build_info')
  })
})
