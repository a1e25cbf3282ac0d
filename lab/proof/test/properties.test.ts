import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Line, Operation } from '../src/history/lines.ts'
import { findings } from './histories.ts'
import { play, steps } from './legal-histories.ts'

test('finds nothing in the history of a server that keeps its promises, whatever answers are lost', async () => {
  await fc.assert(
    fc.asyncProperty(steps(true), async (all) => {
      expect(await findings(play(all))).toEqual([])
    }),
    { numRuns: 300 },
  )
})

/** Whether a line is what one promise is about, and what breaks this promise. */
const breaks: Record<string, { concerns(line: Line): boolean; broken(line: Line): Line[] }> = {
  'another answer to an introspection': {
    concerns: (line) => line.is === 'operation' && line.name === 'introspect',
    broken(line) {
      const asked = line as Operation
      return [{ ...asked, heard: { active: asked.heard.active !== true } }]
    },
  },
  'a second winner': {
    concerns: (line) => line.is === 'operation' && line.name === 'redeem' && line.outcome === 'ok',
    broken: (line) => [line, { ...(line as Operation), heard: {} }],
  },
  'a refused first use': {
    concerns: (line) => line.is === 'operation' && line.name === 'redeem' && line.outcome === 'ok',
    broken: (line) => [
      { ...(line as Operation), outcome: 'refused', status: 400, error: 'invalid_grant', heard: {} },
    ],
  },
  'a lost event': { concerns: ({ is }) => is === 'delivered', broken: () => [] },
  'a token that is not stored': {
    concerns: (line) => line.is === 'stored' && line.tokens.length > 0,
    broken: () => [{ is: 'stored', tokens: [] }],
  },
}

test.each(Object.entries(breaks))('finds %s wherever it is', async (_, { concerns, broken }) => {
  await fc.assert(
    fc.asyncProperty(steps(false), fc.double({ min: 0, max: 0.999, noNaN: true }), async (all, which) => {
      const history = play(all)
      const places = [...history.keys()].filter((place) => concerns(history[place] as Line))
      fc.pre(places.length > 0)
      const place = places[Math.floor(which * places.length)] as number
      expect(await findings(history.toSpliced(place, 1, ...broken(history[place] as Line)))).not.toEqual([])
    }),
    { numRuns: 150 },
  )
})
