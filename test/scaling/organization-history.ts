import { randomUUID } from 'node:crypto'
import { authorize, browse, type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { type Cluster, clusterAdmin } from '@gatehouse/test/cluster'
import { credentialsOf } from '@gatehouse/test/oauth'
import type { RegisteredClient } from '@gatehouse/test/system'
import { pkce } from '../e2e/logins/login-people.ts'

/** The redirect URI of the apps. */
const callback = 'https://app.example/cb'
/** The resource server for which all tokens are. */
const notes = 'https://notes.example/'

/** An organization with a group, whose members are writers by it. */
export type Organization = { id: string; slug: string; groupId: string }

/** A role at the resource server. */
export type Role = { resource_id: unknown; role: string }

/** A user who is logged in. */
export type Person = { id: string; jar: CookieJar }

/** The tokens of a grant, or the error code for which there are none. */
export type Tokens = { access_token: string; refresh_token: string; error?: undefined } | { error: string }

/** All that the histories play with. */
export type Stage = {
  cluster: Cluster
  people: Person[]
  organizations: Organization[]
  /** The role that is given to people and the one that groups have, as requests name them. */
  reader: Role
  writer: Role
  /** An app that acts in organizations only, and one that acts in none. */
  inside: RegisteredClient
  outside: RegisteredClient
  /** Sends a request to the administrators' API. */
  api(method: string, path: string, body?: object): Promise<{ status: number; body: Answer }>
}

/** An answer of the administrators' API, as far as it is read here. */
export type Answer = Readonly<Record<string, unknown>> & {
  set?: { outcome: string }[]
  removed?: { outcome: string }[]
  added?: { outcome: string }[]
  given?: { outcome: string }[]
  taken?: { outcome: string }[]
}

/** Makes two organizations and people who belong to none of them yet. */
export async function setStage(cluster: Cluster, numberOfPeople: number): Promise<Stage> {
  const administrator = await logIn(cluster, clusterAdmin.username, clusterAdmin.password)
  const { origin } = new URL(cluster.baseUrl)
  const api: Stage['api'] = async (method, path, body) => {
    // A new connection for each request, so it goes to the next gateway.
    const headers = { origin, 'sec-fetch-site': 'same-origin', connection: 'close' }
    const sent = body && { 'content-type': 'application/json' }
    const answer = await browse(cluster, administrator, `/admin/api${path}`, {
      method,
      headers: { ...headers, ...sent },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Answer) }
  }
  const made = async (path: string, body: object): Promise<Answer> => {
    const { status, body: answer } = await api('POST', path, body)
    if (status !== 201) throw new Error(`${path} was answered ${status} ${JSON.stringify(answer)}`)
    return answer
  }
  const { resource_id } = await made('/resources', {
    identifier: notes,
    scopes: [{ scope: 'notes', description: 'Use notes' }],
    roles: [{ name: 'reader' }, { name: 'writer' }].map((role) => ({ ...role, scopes: ['notes'] })),
    token_claims: ['roles', 'groups'],
  })
  const [reader, writer] = ['reader', 'writer'].map((role) => ({ resource_id, role })) as [Role, Role]
  const client = async (organizations: string) =>
    (await made('/clients', {
      ...{ client_name: organizations, redirect_uris: [callback], first_party: true, organizations },
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'notes',
    })) as unknown as RegisteredClient
  const organizations = await Promise.all(
    ['left', 'right'].map(async (slug) => {
      const { organization_id: id } = await made('/organizations', { slug, name: slug })
      const { group_id: groupId } = await made(`/organizations/${id}/groups`, { name: `staff of ${slug}` })
      await api('PATCH', `/organizations/${id}/groups/${groupId}/roles`, { give: [writer] })
      return { id, slug, groupId } as Organization
    }),
  )
  const people: Person[] = []
  for (let number = 0; number < numberOfPeople; number += 1) {
    const person = { username: `person-${randomUUID()}`, password: 'a long pass phrase for people' }
    const { user_id: id } = await made('/users', person)
    people.push({ id: id as string, jar: await logIn(cluster, person.username, person.password) })
  }
  const [inside, outside] = [await client('required'), await client('off')]
  return { cluster, api, people, organizations, reader, writer, inside, outside }
}

/** Has an app ask for a code and redeem it. @param named the organization that it names; undefined for none */
export async function getTokens(
  { cluster }: Pick<Stage, 'cluster'>,
  app: RegisteredClient,
  { jar }: Person,
  named: string | undefined,
): Promise<Tokens> {
  const { verifier, challenge } = pkce()
  const back = await authorize(cluster, jar, {
    ...{ response_type: 'code', client_id: app.client_id, redirect_uri: callback, resource: notes },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    ...(named !== undefined && { organization: named }),
  })
  const { code, error } = Object.fromEntries(back.searchParams)
  if (code === undefined) return { error: error ?? 'no answer' }
  const grant = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: callback }
  return askForTokens(cluster, { ...grant, ...credentialsOf(app) })
}

/** Refreshes a grant. */
export function refresh(
  { cluster }: Pick<Stage, 'cluster'>,
  app: RegisteredClient,
  token: string,
): Promise<Tokens> {
  return askForTokens(cluster, { grant_type: 'refresh_token', refresh_token: token, ...credentialsOf(app) })
}

async function askForTokens(cluster: Cluster, form: Record<string, string>): Promise<Tokens> {
  return (await (await cluster.form('/oauth/token', form)).json()) as Tokens
}

/** The answer of the introspection endpoint. */
export async function introspect(
  { cluster }: Pick<Stage, 'cluster'>,
  app: RegisteredClient,
  token: string,
): Promise<Record<string, unknown>> {
  const answer = await cluster.form('/oauth/introspect', { token, ...credentialsOf(app) })
  return (await answer.json()) as Record<string, unknown>
}
