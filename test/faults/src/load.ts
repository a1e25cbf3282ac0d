import { randomBytes } from 'node:crypto'
import { addUser, administrator, createAdmin, type User } from './administrator.ts'
import { type Client, type Crew, register } from './callers.ts'
import { ProofFailure } from './failure.ts'
import { greedy, machine, resourceServer, sender, shortLivedClients } from './machines.ts'
import { person, redirectUri } from './people.ts'
import { verifier } from './verifier.ts'
import { createWellness, type Wellness } from './wellness.ts'

/** The number of workers of each kind. */
const crowd = { people: 6, machines: 4, resourceServers: 2 }

/** A load that is ready to begin. */
export type Load = {
  isWell: Wellness
  /** The clients that exist for the whole run. */
  clients: Client[]
  workers: number
  /** The errors with which workers ended: a bug of theirs, or an unreadable answer. */
  failures: string[]
  /** Resolves when the load has ended. */
  run(): Promise<void>
}

/** Creates all users and clients. @throws ProofFailure when that fails */
export async function startLoad(crew: Crew): Promise<Load> {
  const ask = crew.askFrom('192.0.2.100')
  const admin = await createAdmin(crew, '192.0.2.1')
  const clients: Client[] = []
  const machineMetadata = { grant_types: ['client_credentials'], scope: 'read' }
  const probe = await register(crew, ask, machineMetadata)
  const pairs: { user: User; client: Client }[] = []
  for (let index = 0; index < crowd.people; index += 1) {
    const user = await addUser(crew, admin, `person-${index}`, randomBytes(24).toString('base64url'))
    const client = await register(crew, ask, {
      client_name: `App ${index}`,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'read write profile',
    })
    if (user && client) pairs.push({ user, client })
  }
  if (!probe || pairs.length < crowd.people)
    throw new ProofFailure('The users and clients of the load could not be created')
  clients.push(...pairs.map(({ client }) => client))
  const users = pairs.map(({ user }) => user)
  const workers: (() => Promise<void>)[] = [
    ...pairs.map(
      ({ user, client }) =>
        () =>
          person(crew, user, client),
    ),
    ...numbers(crowd.machines).map((index) => () => machine(crew, clients, `192.0.2.${10 + index}`)),
    ...numbers(crowd.resourceServers).map((index) => () => resourceServer(crew, `192.0.2.${20 + index}`)),
    () => shortLivedClients(crew, '192.0.2.30', admin),
    () => sender(crew, '192.0.2.40'),
    () => verifier(crew, '192.0.2.60'),
    () => verifier(crew, '192.0.2.61'),
    () => greedy(crew, '192.0.2.50'),
    () => administrator(crew, admin, users, clients),
  ]
  const failures: string[] = []
  const noted = ({ name, message }: Error) => void failures.push(`${name}: ${message}`)
  return {
    isWell: createWellness(crew, ask, probe, admin),
    clients,
    workers: workers.length,
    failures,
    run: async () => void (await Promise.all(workers.map((work) => work().catch(noted)))),
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
