import { parseArgs } from 'node:util'
import { type ServiceName, serviceNames } from '@gatehouse/local/services'
import { type KeyPairAlgorithm, keyPairAlgorithms } from '@gatehouse/proto/algorithms'
import { BenchFailure } from './failure.ts'

/** The phases that are measured: getting a token by client_credentials, and introspecting a token. */
export const phases = ['issue', 'introspect'] as const
export type Phase = (typeof phases)[number]

/** The path of each phase's requests, for all subjects. */
export const paths: Record<Phase, string> = { issue: '/oauth/token', introspect: '/oauth/introspect' }

/** The other measurements. */
const others = ['login', 'grants', 'openid', 'tracing', 'events', 'overload', 'limits'] as const

/** The servers with which Gatehouse is compared. */
export const rivalNames = ['ceiling', 'peer'] as const
export type RivalName = (typeof rivalNames)[number]

/** The servers that it can be compared with by `--against`: see against/table.ts. */
export const comparedNames = ['hydra', 'keycloak', 'oidc-provider'] as const
export type ComparedName = (typeof comparedNames)[number]

/** The settings of a benchmark. */
export type Options = {
  rounds: number
  /** How long each run is measured. */
  seconds: number
  /** How long the same load runs before that, unmeasured. */
  warmUpSeconds: number
  connections: number
  phases: Phase[]
  /** Also whole logins, compared with the hashes that the machine can compute. */
  logins: boolean
  /** Also codes, redemptions and refreshes for users who are logged in. */
  grants: boolean
  /** Also the cost of ID tokens. */
  openid: boolean
  /** Also the cost of tracing. */
  tracing: boolean
  /** Also the cost of events, and how many from outside are accepted. */
  events: boolean
  /** Also how much is left of the speed when ten times as many callers ask as the system can serve. */
  overload: boolean
  /** Also the lists and logins of a system with as many organizations, members, groups and connections as there may be. */
  limits: boolean
  /** Algorithms to sign with, compared with HS256; none: no such comparison. */
  algorithms: KeyPairAlgorithm[]
  rivals: RivalName[]
  /** Rising numbers of stored tokens to measure Gatehouse with; none for no comparison of table sizes. */
  tableRows: number[]
  /** Processes to take CPU profiles of. */
  profile: ServiceName[]
  profileSummary: boolean
  /** Compares with another checkout, in these phases. */
  checkout: { directory: string; phases: Phase[] } | undefined
  /** Only compares Gatehouse with these other servers. */
  against: ComparedName[]
  /** Writes the page of such a comparison from a file with its results. */
  pageFrom: string | undefined
  /** Where the results go instead of .gatehouse/bench/DATE.json. */
  out: string | undefined
}

export const usage = `npm run bench -- [options]

  --rounds N           how often everything is measured; medians are told (3)
  --seconds N          length of one measured run (8)
  --warm-up N          seconds of the same load before it (3)
  --connections N      connections under load at once (64)
  --only LIST          of issue, introspect, login, grants, openid, tracing, events, overload, limits, ceiling,
                       peer (a rival alone: issue, introspect)
  --against LIST       only compares with these, and writes docs/evidence/benchmark.md: ${comparedNames.join(', ')}
  --page-from FILE     with --against: writes the page again from the results of a run
  --table-size         also a second system with 1 and 10 million stored tokens; needs 6 GB of disk and some minutes
  --table-rows LIST    other numbers of stored tokens for that
  --algorithms LIST    also what signing with these costs: ${keyPairAlgorithms.join(', ')} (then nothing else, unless --only)
  --checkout DIR       only compares with the checkout in DIR, in turn: issue and introspect, or those of --only
  --profile LIST       takes CPU profiles of these processes: ${serviceNames.join(', ')}
  --profile-summary    prints where their time went
  --out FILE           where the results go (.gatehouse/bench/DATE.json; with --profile nowhere)
`

/**
 * Reads the command line.
 * @throws BenchFailure that names the invalid option
 */
export function readOptions(args: string[]): Options | 'help' {
  const values = parse(args)
  if (values.help) return 'help'
  const only = oneOf('only', values.only, [...phases, ...others, ...rivalNames])
  const wantedPhases = phases.filter((phase) => only.includes(phase))
  const algorithms = oneOf('algorithms', values.algorithms, keyPairAlgorithms)
  const everything = only.length === 0 && algorithms.length === 0 && values.checkout === undefined
  const logins = everything || only.includes('login')
  const grants = everything || only.includes('grants')
  const openid = everything || only.includes('openid')
  const tracing = everything || only.includes('tracing')
  const events = everything || only.includes('events')
  const overload = everything || only.includes('overload')
  const limits = everything || only.includes('limits')
  const onlyOthers = only.length > 0 && only.every((one) => (others as readonly string[]).includes(one))
  const noneNamed = wantedPhases.length === 0 && !onlyOthers && (everything || only.length > 0)
  const profile = oneOf('profile', values.profile, serviceNames)
  if (values['profile-summary'] && profile.length === 0) {
    throw new BenchFailure(
      '--profile-summary needs --profile with the processes to profile, e.g. gateway,token',
    )
  }
  if (values['page-from'] !== undefined && values.against === undefined)
    throw new BenchFailure('--page-from needs --against')
  const compared = wantedPhases.length > 0 ? wantedPhases : [...phases]
  const checkout =
    values.checkout === undefined ? undefined : { directory: values.checkout, phases: compared }
  return {
    rounds: wholeNumber('rounds', values.rounds),
    seconds: wholeNumber('seconds', values.seconds),
    warmUpSeconds: wholeNumber('warm-up', values['warm-up']),
    connections: wholeNumber('connections', values.connections),
    phases: checkout ? [] : noneNamed ? [...phases] : wantedPhases,
    logins,
    grants,
    openid,
    tracing,
    events,
    overload,
    limits,
    algorithms,
    rivals: !everything ? rivalNames.filter((name) => only.includes(name)) : [...rivalNames],
    tableRows: values['table-size'] || values['table-rows'] ? rowNumbers(values['table-rows']) : [],
    checkout,
    against: oneOf('against', values.against, comparedNames),
    pageFrom: values['page-from'],
    profile,
    profileSummary: values['profile-summary'],
    out: values.out,
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '8' },
        'warm-up': { type: 'string', default: '3' },
        connections: { type: 'string', default: '64' },
        only: { type: 'string' },
        against: { type: 'string' },
        'page-from': { type: 'string' },
        checkout: { type: 'string' },
        'table-size': { type: 'boolean', default: false },
        'table-rows': { type: 'string' },
        algorithms: { type: 'string' },
        profile: { type: 'string' },
        'profile-summary': { type: 'boolean', default: false },
        out: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new BenchFailure(`${(error as Error).message.split('. ')[0]}; see npm run bench -- --help`)
  }
}

function oneOf<Name extends string>(
  option: string,
  list: string | undefined,
  names: readonly Name[],
): Name[] {
  const given = list?.split(',') ?? []
  const strange = given.find((name) => !(names as readonly string[]).includes(name))
  if (strange !== undefined) {
    throw new BenchFailure(
      `--${option} must be a list of ${names.join(', ')} with commas; it has "${strange}"`,
    )
  }
  return given as Name[]
}

function rowNumbers(list = '1000000,10000000'): number[] {
  return list
    .split(',')
    .map((rows) => wholeNumber('table-rows', rows))
    .sort((a, b) => a - b)
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new BenchFailure(`--${option} must be a whole number above 0; it is "${text}"`)
}
