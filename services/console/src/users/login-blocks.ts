import type { LoginProblem } from '@gatehouse/admin-api/generated/openapi'

/** Problems that stop every login. */
const stopping = ['disabled', 'no_credentials', 'second_factor_unusable']
/** Problems that end by themselves. */
const pausing = ['too_many_failures', 'too_many_codes'] as const

/** How long something is blocked: everywhere, or from some addresses. */
type Block = { of: (typeof pausing)[number]; addresses: number; minutes: number }

/** Whether a user can log in, cannot, or cannot for a while. @param problems undefined when they are not known yet */
export function verdictOf(problems: readonly LoginProblem[] | undefined): 'can' | 'cannot' | 'hindered' {
  if (problems === undefined) return 'hindered'
  if (problems.some(({ code }) => stopping.includes(code))) return 'cannot'
  return problems.some(({ code }) => (pausing as readonly string[]).includes(code)) ? 'hindered' : 'can'
}

/** The blocks after wrong passwords and codes: first everywhere, then from single addresses, until the last of them is free. */
export function blocksOf(problems: readonly LoginProblem[], now: number): Block[] {
  return [false, true].flatMap((single) =>
    pausing.flatMap((of) => {
      const found = problems.filter(
        ({ code, ip_address: address }) => code === of && (address !== undefined) === single,
      )
      if (found.length === 0) return []
      const ends = Math.max(...found.map(({ until }) => (until ? Date.parse(until) : now)))
      const minutes = Math.max(1, Math.ceil((ends - now) / 60_000))
      return [{ of, addresses: single ? found.length : 0, minutes }]
    }),
  )
}
