import { Refusal } from '@gatehouse/kit/errors'
import { instance } from '@gatehouse/kit/release'
import type { Actor } from '@gatehouse/proto/audit/v1'
import type { SecretGeneration } from '@gatehouse/proto/telemetry/v1'
import type { AdminDeps, Replica } from '../deps.ts'

/** The secrets that can be changed without ending anything, each with the processes that have it. */
const holders = {
  OAUTH2_JWT_SECRET: 'token',
  OAUTH2_FACTOR_KEY: 'identity',
  OAUTH2_SESSION_KEY: 'gateway',
} as const

/** The name of such a secret's variable. */
export type SecretVariable = keyof typeof holders

/** The names of the variables of these secrets. */
export const secretVariables = Object.keys(holders) as SecretVariable[]

/** The secrets that encrypt stored contents, in the order in which these are encrypted anew. */
const encrypting = ['OAUTH2_JWT_SECRET', 'OAUTH2_FACTOR_KEY'] as const

/** The state of a secret after contents were encrypted anew. */
export type ReencryptedSecret = {
  variable: SecretVariable
  /** Whether a process has a next secret, too. */
  changing: boolean
  /** How many contents were looked at, how many of these were encrypted anew, and how many nothing decrypts. */
  read: number
  rewritten: number
  unreadable: number
  /** When the last value ends that depends on the other secret; undefined for none. */
  otherNeededUntil: Date | undefined
}

/** How long one call goes on, in milliseconds: shorter than proxies wait. */
const longest = 5_000

/**
 * Encrypts stored contents with the current secrets, as far as others encrypted them, for some seconds.
 * @param after `next` of the call before; undefined for the beginning
 * @returns the secrets, and where to go on unless nothing is left
 * @throws Refusal secrets_differ while a process has another current secret than the others, or its secret is not known
 */
export async function reencrypt(
  deps: Pick<AdminDeps, 'replicas' | 'encrypting'>,
  after: string | undefined,
  actor: Actor,
): Promise<{ secrets: ReencryptedSecret[]; next?: string }> {
  const changing = changingIn(await deps.replicas())
  const secrets = Object.fromEntries(
    secretVariables.map((variable) => [
      variable,
      { ...{ variable, changing: changing.has(variable) }, ...nothingYet },
    ]),
  ) as Record<SecretVariable, ReencryptedSecret>
  const end = performance.now() + longest
  const [begun, place = ''] = after?.split(' ') ?? [encrypting[0]]
  const first = encrypting.map(String).indexOf(begun ?? '')
  if (first === -1) throw new Refusal('invalid_request', 'after must be the `next` of an earlier answer.')
  let position = place
  for (const variable of encrypting.slice(first)) {
    do {
      if (performance.now() > end) return { secrets: Object.values(secrets), next: `${variable} ${position}` }
      const done = await deps.encrypting[holders[variable]].reencrypt({ actor, after: position })
      const secret = secrets[variable]
      secret.read += done.read
      secret.rewritten += done.rewritten
      secret.unreadable += done.unreadable
      secret.otherNeededUntil = ofChanging(secret, done.neededUntil)
      const sessions = secrets.OAUTH2_SESSION_KEY
      sessions.otherNeededUntil = ofChanging(sessions, done.sessionsUntil) ?? sessions.otherNeededUntil
      position = done.next
    } while (position !== '')
  }
  return { secrets: Object.values(secrets) }
}

const nothingYet = { read: 0, rewritten: 0, unreadable: 0, otherNeededUntil: undefined }

function ofChanging({ changing }: ReencryptedSecret, until: Date | undefined): Date | undefined {
  return changing ? until : undefined
}

/**
 * The variables whose secrets are being changed.
 * @throws Refusal secrets_differ unless all processes of a kind have the same current secrets
 */
function changingIn(replicas: readonly Replica[]): Set<SecretVariable> {
  const silent = replicas.find((replica) => replica.instance === undefined && isHolder(replica))
  if (silent)
    throw differ(
      `A replica of ${silent.service} at ${silent.address} does not answer, so its secrets are not known.`,
    )
  const gateways = replicas.flatMap((replica) => replica.gateways)
  if (!gateways.some((gateway) => gateway.instance === instance))
    throw differ('The gateways have not told yet which secrets they have. Ask again in some seconds.')
  const changing = new Set<SecretVariable>()
  for (const variable of secretVariables) {
    const service = holders[variable]
    const processes = service === 'gateway' ? gateways : replicas.filter((one) => one.service === service)
    if (checkSame(variable, service, processes)) changing.add(variable)
  }
  return changing
}

type SecretHolder = { instance?: string | undefined; generations: readonly SecretGeneration[] }

/**
 * Checks that all processes of a service have the same current secret.
 * @returns whether one of them has a next secret, too
 */
function checkSame(variable: SecretVariable, service: string, processes: readonly SecretHolder[]): boolean {
  const having = processes.map(({ generations }) => generations.find((one) => one.variable === variable))
  const of = (index: number) => processes[index]?.instance ?? service
  const missing = having.indexOf(undefined)
  const known = having.findIndex((one) => one !== undefined)
  // Without an OAUTH2_FACTOR_KEY there are no authenticator apps.
  const mayBeMissing = variable === 'OAUTH2_FACTOR_KEY' && known === -1
  if (missing !== -1 && !mayBeMissing)
    throw differ(`${of(missing)} (${service}) has no ${variable}, or runs a release before this one.`)
  const other = having.findIndex((one) => one?.generation !== having[0]?.generation)
  if (other !== -1) {
    const pair = `${of(0)} and ${of(other)} (${service})`
    throw differ(`${pair} have different values of ${variable}: wait until every replica has the new one.`)
  }
  return having.some((one) => one?.changing)
}

function isHolder({ service }: Replica): boolean {
  return service === 'token' || service === 'identity'
}

function differ(description: string): Refusal {
  return new Refusal('secrets_differ', description)
}
