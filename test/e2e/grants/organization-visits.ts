import { browse, type CookieJar, hiddenFields, submit } from '@gatehouse/test/browser/browser-login'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'
import { authorizationRequest, type Person, pkce } from '../logins/login-people.ts'

/** A page of this server, or the parameters with which the browser comes back to the app. */
export type Place = { page: string; to: URLSearchParams }

/** An authorization request, with the pages that its user has come to. */
export class Visit {
  readonly verifier: string
  /** The address at which the request goes on, once it waits. */
  continuation = ''
  readonly #address: string
  readonly #jar: CookieJar
  readonly #system: TestSystem

  constructor(
    system: TestSystem,
    { jar }: Pick<Person, 'jar'>,
    client: RegisteredClient,
    changes: Record<string, string> = {},
  ) {
    this.#system = system
    const { verifier, challenge } = pkce()
    this.verifier = verifier
    this.#jar = jar
    const request = {
      ...authorizationRequest(client, challenge),
      scope: 'openid organization read',
      ...changes,
    }
    this.#address = `/oauth/authorize?${new URLSearchParams(request)}`
  }

  /** Follows the redirects of this server, to a page or to the app. */
  async #follow(response: Response): Promise<Place> {
    const location = response.headers.get('location')
    if (location?.startsWith('/oauth/continue')) this.continuation = location
    if (location?.startsWith('/')) return this.#follow(await browse(this.#system, this.#jar, location))
    if (location) return { page: '', to: new URL(location).searchParams }
    return { page: await response.text(), to: new URLSearchParams() }
  }

  /** Opens a page of the request in the same browser. */
  open = async (address: string) => this.#follow(await browse(this.#system, this.#jar, address))

  begin = () => this.open(this.#address)

  choose = async (page: string, organization: { organization_id: string } | string) =>
    this.#follow(
      await submit(this.#system, this.#jar, '/oauth/organization', {
        ...hiddenFields(page),
        organization: typeof organization === 'string' ? organization : organization.organization_id,
      }),
    )

  allow = async (page: string) =>
    this.#follow(
      await submit(this.#system, this.#jar, '/oauth/consent', { ...hiddenFields(page), decision: 'allow' }),
    )
}

/** Whether a page asks for an organization, or for consent. */
export const isChoice = (page: string) => page.includes('action="/oauth/organization"')
export const isConsent = (page: string) => page.includes('action="/oauth/consent"')
