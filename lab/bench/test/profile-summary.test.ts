import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { type CpuProfile, renderProfileSummary, summarizeProfiles } from '../src/measuring/profile-summary.ts'
import { rootDirectory } from '../src/repository.ts'

const root = pathToFileURL(rootDirectory).href
const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 9 })
const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(idle)') },
    { id: 2, callFrame: frame('sign', `${root}/services/token/src/tokens/access-token.ts`) },
    { id: 3, callFrame: frame('route', `${root}/node_modules/@fastify/cors/index.js`) },
    { id: 4, callFrame: frame('writev') },
    { id: 5, callFrame: frame('(garbage collector)') },
    { id: 6, callFrame: frame('post', 'node:inspector') },
  ],
  samples: [1, 2, 3, 4, 5, 6],
  timeDeltas: [500, 200, 150, 100, 50, 9_000],
}

test('own time is told as a share of the time that was not idle, without what profiling itself took', () => {
  const { idle, functions } = summarizeProfiles([profile, profile])
  expect(idle).toBe(0.5)
  expect(functions).toEqual([
    { name: 'sign  services/token/src/tokens/access-token.ts:10', share: 0.4 },
    { name: 'route  node_modules/@fastify/cors/index.js:10', share: 0.3 },
    { name: 'writev', share: 0.2 },
    { name: '(garbage collector)', share: 0.1 },
  ])
})

test('own time is summed by package', () => {
  const names = summarizeProfiles([profile]).packages.map(({ name }) => name)
  expect(names).toEqual(['services/token', '@fastify/cors', 'native code', '(garbage collector)'])
})

test('the rendered summary has as many functions as were asked for', () => {
  const text = renderProfileSummary('token, issue', summarizeProfiles([profile]), 1)
  expect(text).toContain('token, issue: idle 50 %')
  expect(text).toContain('40.0 %  sign')
  expect(text).not.toContain('route  ')
})
