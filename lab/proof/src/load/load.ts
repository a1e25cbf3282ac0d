import { SetupFailure } from '../failure.ts'
import { addUser, administrator, createAdmin, createClient, type User } from './administrator.ts'
import { type Client, type Crew, register } from './callers.ts'
import { createFinalQuestions, type FinalQuestions } from './final-questions.ts'
import { createHealthCheck, type HealthCheck } from './health-check.ts'
import { greedy, machine, resourceServer, sender, shortLivedClients } from './machines.ts'
import { person, redirectUri } from './people.ts'
import { newVerifier, verifier } from './verifier.ts'
import type { App } from './visit.ts'

/** The number of workers of each kind. */
const crowd = { people: 6, machines: 4, resourceServers: 2, senders: 3, verifiers: 2 }

/** A load that is ready to begin. */
export type Load = {
  isWell: HealthCheck
  workers: number
  /** The errors with which workers ended: a bug of theirs, or an unreadable answer. */
  failures: string[]
  /** Resolves when the load has ended. */
  run(): Promise<void>
  /** The questions that are asked when everything is reachable again. */
  final: FinalQuestions
}

/** Creates all users and clients. @throws SetupFailure when that fails */
export async function startLoad(crew: Crew): Promise<Load> {
  const { runName } = crew
  const ask = crew.askFrom('probe', '192.0.2.100')
  const admin = await createAdmin(crew, '192.0.2.1')
  const clients: Client[] = []
  const probe = await register(crew, ask, { grant_types: ['client_credentials'], scope: 'read' })
  const pairs: { user: User; app: App }[] = []
  for (const index of numbers(crowd.people)) {
    const user = await addUser(crew, admin, `person-${runName}-${index}`)
    const app = await createApp(crew, admin, index)
    if (user && app) pairs.push({ user, app })
  }
  if (!probe || pairs.length < crowd.people)
    throw new SetupFailure('The users and clients of the load could not be created')
  clients.push(...pairs.map(({ app }) => app.client))
  const users = pairs.map(({ user }) => user)
  const workers: (() => Promise<void>)[] = [
    ...pairs.map(
      ({ user, app }, index) =>
        () =>
          person(crew, `person-${index}`, user, app),
    ),
    ...numbers(crowd.machines).map(
      (index) => () => machine(crew, clients, `machine-${index}`, `192.0.2.${10 + index}`),
    ),
    ...numbers(crowd.resourceServers).map(
      (index) => () => resourceServer(crew, `resource-${index}`, `192.0.2.${20 + index}`),
    ),
    ...numbers(crowd.senders).map(
      (index) => () => sender(crew, `sender-${runName}-${index}`, `192.0.2.${40 + index}`),
    ),
    ...numbers(crowd.verifiers).map(
      (index) => () => verifier(crew, `verifier-${index}`, `192.0.2.${60 + index}`),
    ),
    () => newVerifier(crew, '192.0.2.70'),
    () => shortLivedClients(crew, '192.0.2.30', admin),
    () => greedy(crew, '192.0.2.50'),
    () => administrator(crew, admin, users, clients),
  ]
  const failures: string[] = []
  const noted = ({ name, message }: Error) => void failures.push(`${name}: ${message}`)
  return {
    isWell: createHealthCheck(crew, ask, probe, admin),
    workers: workers.length,
    failures,
    run: async () => void (await Promise.all(workers.map((work) => work().catch(noted)))),
    final: createFinalQuestions(crew, pairs),
  }
}

/** Every second app is one of OpenID Connect that wants to be told of logouts. */
async function createApp(
  crew: Crew,
  admin: Parameters<typeof createClient>[1],
  index: number,
): Promise<App | undefined> {
  const scope = index % 2 === 0 ? 'read write profile' : 'openid read'
  const client = await createClient(crew, admin, {
    client_name: `App ${index}`,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    scope: 'openid read write profile',
    id_token_signed_response_alg: 'ES256',
    ...(index % 2 === 1 && { backchannel_logout_uri: crew.world.consumers.logoutUrl }),
  })
  return client && { client, scope }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
