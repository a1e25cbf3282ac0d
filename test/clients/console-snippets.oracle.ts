import { program } from '@gatehouse/test/programs/programs'
import { freePorts } from '@gatehouse/test/servers/server-process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kindNames, kinds } from '../../services/console/src/start/kinds.ts'
import { startProvider } from '../e2e/openid/openid-world.ts'
import { machineSnippets } from './snippets/machine.ts'
import { nativeSnippets } from './snippets/native.ts'
import { resourceSnippets } from './snippets/resource.ts'
import { singlePageAppSnippets } from './snippets/single-page-app.ts'
import { webSnippets } from './snippets/web.ts'
import { installationOf, openWorkshop, type Workshop } from './snippets/workshop.ts'
import { buildSpringApp } from './tutorials/spring-boot.ts'

// The code that the guide of the console gives people to copy, run as it is shown there, in each profile.

const programs = {
  python: await program('python3'),
  flask: await program('flask-authlib'),
  go: await program('go'),
  chromium: await program('chromium'),
  javac: await program('javac'),
  spring: await buildSpringApp(),
}

/** The switches that the profile `interface` lacks and the guide asks for. */
const switchedOn = { OAUTH2_PUBLIC_CLIENTS_ENABLED: 'true' }

describe.each([
  ['interface', switchedOn],
  ['openid', {}],
  ['mcp', {}],
])('in the profile %s, the code that the console gives to copy', (profile, variables) => {
  let workshop: Workshop
  beforeAll(async () => {
    const [port] = await freePorts(1)
    const origin = `http://127.0.0.1:${port}`
    const provider = await startProvider({
      OAUTH2_PROFILE: profile,
      // Elsewhere the origin of an app is that of its redirect URI.
      OAUTH2_CORS_ORIGINS: profile === 'interface' ? origin : '',
      ...variables,
    })
    workshop = await openWorkshop(provider, origin)
  })
  afterAll(() => workshop?.close())
  const there = () => workshop

  test('is offered for the kinds of apps that work', async () => {
    const needs = Object.fromEntries(
      kindNames.map((name) => [name, kinds[name].needs(workshop.installation)]),
    )
    const none = { web: [], spa: [], native: [], machine: [], mcp: [], resource: [] }
    const resources = ['OAUTH2_RESOURCE_INDICATORS=registered']
    expect(needs).toEqual(
      {
        interface: { ...none, mcp: resources, resource: resources },
        openid: { ...none, mcp: ['OAUTH2_REGISTRATION=open'] },
        mcp: none,
      }[profile],
    )
  })

  machineSnippets(there, programs)
  webSnippets(there, programs)
  nativeSnippets(there)
  if (programs.chromium) singlePageAppSnippets(there)
  if (profile !== 'interface') resourceSnippets(there)
})

test('a system with the defaults is asked for what it lacks', async () => {
  const provider = await startProvider({
    OAUTH2_PROFILE: 'interface',
    OAUTH2_CORS_ORIGINS: 'https://a.example',
  })
  const installation = await installationOf(provider)
  await provider.system.stop()
  expect(kinds.spa.needs(installation)).toEqual(['OAUTH2_PUBLIC_CLIENTS_ENABLED=true'])
  expect(kinds.mcp.needs(installation)).toEqual([
    'OAUTH2_PUBLIC_CLIENTS_ENABLED=true',
    'OAUTH2_RESOURCE_INDICATORS=registered',
  ])
})
