import type { Output } from '../output.ts'

/** A result of one of several items, as the API gives it, and what to say if it was done. */
type Item = { result: { outcome: string; reason?: string }; done: string }

/** The output for a change of several items; a failure if some were refused. */
export function outcomeOf(json: unknown, items: readonly Item[]): Output {
  const refused = items.filter(({ result }) => result.outcome === 'refused')
  const lines = items.map(({ result, done }) => {
    if (result.outcome === 'refused') return `Not that ${done.replace(/\.$/, '')}: ${result.reason}`
    return result.outcome === 'unchanged' ? `${done.replace(/\.$/, '')}, as before.` : done
  })
  const text = lines.join('\n')
  if (refused.length === 0) return { json, text }
  return { json, text, failure: `${refused.length} of ${items.length} were refused.` }
}
