import { authorize } from '@gatehouse/test/browser/browser-login'
import { introspectionOf } from '@gatehouse/test/oauth'
import type { RegisteredClient } from '@gatehouse/test/system'
import OAuth2Strategy from 'passport-oauth2'
import { expect, test } from 'vitest'
import { accentedSecret, callback, registerWithSecret, type World, webApplication } from '../world.ts'

/** The result of a strategy for a request. */
type Outcome =
  | { redirect: string }
  | { user: unknown; info: unknown }
  | { refused: unknown; status?: number | undefined }

/** The part of a request that strategies use. */
type StrategyRequest = { query: Record<string, string>; session: Record<string, unknown> }

/** Runs a strategy as Passport does: a copy for each request, with functions for the results. */
function authenticate(
  strategy: OAuth2Strategy,
  request: StrategyRequest,
  options: object = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const attempt = Object.assign(Object.create(strategy) as OAuth2Strategy, {
      redirect: (redirect: string) => resolve({ redirect }),
      success: (user: unknown, info: unknown) => resolve({ user, info }),
      fail: (refused: unknown, status?: number) => resolve({ refused, status }),
      error: reject,
    })
    attempt.authenticate(request as never, options)
  })
}

function createStrategy({ system }: World, client: RegisteredClient): OAuth2Strategy {
  return new OAuth2Strategy(
    {
      authorizationURL: `${system.baseUrl}/oauth/authorize`,
      tokenURL: `${system.baseUrl}/oauth/token`,
      clientID: client.client_id,
      clientSecret: client.client_secret,
      callbackURL: callback,
      scope: ['read', 'write'],
      state: true,
      pkce: true,
    },
    (accessToken: string, refreshToken: string, parameters: object, _profile: unknown, done) =>
      done(null, { accessToken, refreshToken, parameters } as Express.User),
  )
}

/** Sends the user to the server and back. */
async function toCallback(
  { system, jar }: World,
  strategy: OAuth2Strategy,
  session: Record<string, unknown>,
  decision?: 'deny',
): Promise<Record<string, string>> {
  const outcome = await authenticate(strategy, { query: {}, session }, { state: { back: '/orders?a=b&c=d' } })
  if (!('redirect' in outcome)) throw new Error('the strategy did not redirect')
  const landed = await authorize(system, jar, new URL(outcome.redirect), decision && { decision })
  return Object.fromEntries(landed.searchParams)
}

/** Tests passport-oauth2 1.8 with a system that has refresh tokens. */
export function passportOauth2(there: () => World): void {
  test('logs a user in, with PKCE and a state that it keeps in its session', async () => {
    const { system } = there()
    const strategy = createStrategy(there(), await registerWithSecret(system, accentedSecret))
    const session = {}
    const query = await toCallback(there(), strategy, session)
    const outcome = await authenticate(strategy, { query, session })
    expect(outcome).toEqual({
      user: {
        accessToken: expect.any(String),
        refreshToken: expect.any(String),
        parameters: expect.objectContaining({ token_type: 'Bearer', scope: 'read write' }),
      },
      info: { state: { back: '/orders?a=b&c=d' } },
    })
    const { accessToken } = (outcome as { user: { accessToken: string } }).user
    expect(JSON.parse(await introspectionOf(system, accessToken))).toMatchObject({
      active: true,
      username: 'ada',
    })
  })

  test('refuses an answer that belongs to another session', async () => {
    const strategy = createStrategy(there(), await there().system.register(webApplication))
    const query = await toCallback(there(), strategy, {})
    const outcome = await authenticate(strategy, { query, session: {} })
    expect(outcome).toMatchObject({ status: 403 })
  })

  test('is told that the user denied', async () => {
    const strategy = createStrategy(there(), await there().system.register(webApplication))
    const session = {}
    const query = await toCallback(there(), strategy, session, 'deny')
    const outcome = await authenticate(strategy, { query, session })
    expect(outcome).toMatchObject({ refused: { message: 'The user denied the request.' } })
  })

  test('is told why a code is refused', async () => {
    const { client_id } = await there().system.register(webApplication)
    const strategy = createStrategy(there(), { client_id, client_secret: 'another' })
    const session = {}
    const query = await toCallback(there(), strategy, session)
    await expect(authenticate(strategy, { query, session })).rejects.toMatchObject({ code: 'invalid_client' })
  })
}
