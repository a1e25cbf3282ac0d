import type { Line, Operation } from '../history/lines.ts'
import { type Check, openCheck, time } from './check.ts'
import { clocksMs } from './endings.ts'
import { checkNames } from './names.ts'

/** Checks that every action of an administrator that was answered is in the audit log: one entry for each, of its time. */
export async function checkAudit(lines: AsyncIterable<Line>): Promise<Check> {
  const entries = new Map<string, number[]>()
  const actions: { operation: Operation; key: string; isCertain: boolean }[] = []
  const last = new Map<string, { change: string; isKnown: boolean }>()
  for await (const line of lines) {
    if (line.is === 'audit') {
      const key = keyOf(line)
      entries.set(key, [...(entries.get(key) ?? []), line.at])
    } else if (line.is === 'operation' && line.about.action !== undefined) {
      const { action, change } = line.about
      const target = line.about.target ?? line.heard.target ?? ''
      // A change that finds nothing to change leaves no entry: so it is after one whose effect is unknown, and after the same change.
      const { isKnown = true, change: before } = last.get(target) ?? {}
      const isCertain = isKnown && (change === undefined || change !== before)
      if (change !== undefined) last.set(target, { change, isKnown: line.outcome === 'ok' })
      if (line.outcome === 'ok')
        actions.push({ operation: line, key: keyOf({ action, target, change }), isCertain })
    }
  }
  const check = openCheck(checkNames.audit)
  for (const times of entries.values()) times.sort((one, other) => one - other)
  for (const { operation, key, isCertain } of actions) {
    if (!isCertain) continue
    const { about, invoked, returned } = operation
    check.count(isThere(about.action === 'signing_key.rotate', entries.get(key) ?? []), () => ({
      at: returned,
      text: `${about.action} of ${about.target ?? operation.heard.target} at ${time(returned)} has no entry`,
    }))

    function isThere(isRepeated: boolean, times: number[]): boolean {
      // While a key is staged, another rotation is answered with it, and changes nothing.
      if (isRepeated) return times.some((at) => at <= returned + clocksMs)
      const since = (about.since ?? invoked) - clocksMs
      const place = times.findIndex((at) => at >= since && at <= returned + clocksMs)
      if (place >= 0) times.splice(place, 1)
      return place >= 0
    }
  }
  return check
}

function keyOf({
  action = '',
  target,
  change = '',
}: {
  action?: string
  target: string
  change?: string | undefined
}) {
  return `${action} ${target} ${change}`
}
