import fc from 'fast-check'
import type { Line, Operation, Outcome } from '../src/history/lines.ts'
import { did, token } from './histories.ts'

/** One step of a client: what it does, how it is answered, and when it takes effect. */
export type Step = {
  kind: 'issue' | 'revoke' | 'introspect' | 'redeem' | 'refresh' | 'refresh old' | 'event'
  /** Which token, family or event it is about, as a part of those that there are. */
  which: number
  lasts: number
  pause: number
  /** Whether the answer is lost, and whether the operation takes effect all the same. */
  lost: boolean
  happens: boolean
}

const stepOf = (mayBeLost: boolean): fc.Arbitrary<Step> =>
  fc.record({
    kind: fc.constantFrom('issue', 'revoke', 'introspect', 'redeem', 'refresh', 'refresh old', 'event'),
    which: fc.double({ min: 0, max: 0.999, noNaN: true }),
    lasts: fc.integer({ min: 1, max: 4_000 }),
    pause: fc.integer({ min: 1, max: 20_000 }),
    lost: mayBeLost ? fc.boolean() : fc.constant(false),
    happens: fc.boolean(),
  })

/** Steps, of which some may have no answer. */
export const steps = (mayBeLost: boolean) => fc.array(stepOf(mayBeLost), { minLength: 1, maxLength: 60 })

type FamilyState = { refresh: string[]; tokens: string[]; code: string; alive: boolean }

/** Plays steps with a server that keeps its promises, one step after the other. @returns its history */
export function play(all: readonly Step[]): Line[] {
  const lines: Line[] = []
  const active = new Map<string, boolean>()
  const families: FamilyState[] = []
  const events: string[] = []
  let [at, count] = [0, 0]

  for (const step of all) {
    const { lasts, pause, lost, happens } = step
    const takesEffect = !lost || happens
    const returned = at + lasts
    const outcome: Outcome = lost ? 'unknown' : 'ok'
    const write = (name: Operation['name'], changes: Partial<Operation>) =>
      lines.push(
        did(name, at, {
          outcome,
          ...changes,
          returned,
          ...(lost && { outcome: 'unknown', status: 503, heard: {} }),
        }),
      )
    if (step.kind === 'issue') issue(write, takesEffect)
    else if (step.kind === 'event') send(write, takesEffect)
    else if (step.kind === 'redeem') redeem(write, takesEffect)
    else if (step.kind === 'revoke' || step.kind === 'introspect') touch(step, write, takesEffect)
    else refresh(step, write, takesEffect)
    at = returned + pause
  }
  const accepted = events.map(
    (key, index): Line => ({
      ...{ is: 'delivered', broker: 'nats', position: index, key, id: `id of ${key}`, digest: key },
    }),
  )
  const away: Line = {
    ...{ is: 'fault', target: 'gateway', harm: 'killed', replica: 'a', lasts: 0, shift: 0, share: 0 },
    ...{ began: 0, over: at, recovered: at, ready: at },
  }
  return [...lines, ...accepted, { is: 'stored', tokens: [...active.keys()] }, away]

  type Write = (name: Operation['name'], changes: Partial<Operation>) => void

  function newToken(): string {
    const jti = `token ${count++}`
    active.set(jti, true)
    return jti
  }
  function issue(write: Write, takesEffect: boolean): void {
    write('issue', takesEffect ? { heard: { token: token(newToken()) } } : {})
  }
  function send(write: Write, takesEffect: boolean): void {
    const number = events.length + 1
    const key = `event ${number}`
    if (takesEffect) events.push(key)
    const about = { key, sender: 'shop', number }
    write('event', { about, heard: { eventId: `id of ${key}` } })
  }
  function redeem(write: Write, takesEffect: boolean): void {
    const code = `code ${families.length}`
    const about = { clientId: 'app', userId: 'ann' }
    lines.push(did('authorize', at - 0.5, { about, heard: { code }, returned: at }))
    const family: FamilyState = { refresh: [], tokens: [], code, alive: true }
    if (!takesEffect) {
      write('redeem', { about: { code } })
      return
    }
    const [jti, next] = [newToken(), `${code} refresh 0`]
    family.tokens.push(jti)
    family.refresh.push(next)
    families.push(family)
    write('redeem', { about: { code }, heard: { token: token(jti), refresh: next } })
  }
  function touch({ kind, which }: Step, write: Write, takesEffect: boolean): void {
    const jti = [...active.keys()][Math.floor(which * active.size)]
    if (jti === undefined) return
    const isActive =
      active.get(jti) === true && !families.some((one) => !one.alive && one.tokens.includes(jti))
    if (kind === 'introspect') write('introspect', { about: { token: jti }, heard: { active: isActive } })
    else {
      if (takesEffect) active.set(jti, false)
      write('revoke', { about: { token: jti } })
    }
  }
  function refresh({ kind, which }: Step, write: Write, takesEffect: boolean): void {
    const family = families[Math.floor(which * families.length)]
    if (!family) return
    const place = kind === 'refresh old' ? family.refresh.length - 3 : family.refresh.length - 1
    const used = family.refresh[place]
    if (used === undefined) return
    const about = { refresh: used, clientId: 'app' }
    const isReuse = place < family.refresh.length - 1
    if (!family.alive || isReuse) {
      if (takesEffect) family.alive = false
      write('refresh', { about, outcome: 'refused', status: 400 })
    } else if (takesEffect) {
      const [jti, next] = [newToken(), `${family.code} refresh ${family.refresh.length}`]
      family.tokens.push(jti)
      family.refresh.push(next)
      write('refresh', { about, heard: { token: token(jti), refresh: next } })
    } else write('refresh', { about })
  }
}
