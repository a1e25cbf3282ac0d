import { nameOf } from '../history/names.ts'
import { replicas } from '../world/world.ts'
import { anyGateway, rest } from './callers.ts'
import type { Answer } from './recorder.ts'
import { reliesOn, type Visit } from './visit.ts'
import type { AccessToken, Family } from './wallet.ts'

/** A code, and whether it was redeemed. */
export type Code = { text: string; verifier: string; redeemed: boolean }

/** How many refresh tokens of a family are kept. */
const mostKept = 4

/** Redeems a code: for the second time, that revokes its grant. */
export async function redeem(
  visit: Visit,
  code: Code,
  gateway = anyGateway(visit.crew),
): Promise<Family | undefined> {
  const { ask, app } = visit
  const clientId = app.client.client_id
  const form = {
    grant_type: 'authorization_code',
    code: code.text,
    code_verifier: code.verifier,
    ...app.client,
  }
  const taking = takingTokens(visit)
  await ask({
    name: 'redeem',
    gateway,
    path: '/oauth/token',
    form,
    about: { code: nameOf(code.text), clientId, relies: reliesOn(visit) },
    hear: taking.hear,
    allowed: [200, 400],
  })
  const { token, refreshToken } = taking
  if (!token || !refreshToken) return undefined
  code.redeemed = true
  return { clientId, refreshTokens: [refreshToken], length: 1, newest: token }
}

/** Redeems a code at both gateways at once, as a thief and the app might: one of them may get tokens, which are revoked then. */
export async function redeemAtOnce(visit: Visit, code: Code): Promise<Family | undefined> {
  const both = await Promise.all(replicas.map((gateway) => redeem(visit, code, gateway)))
  return both.find((family) => family !== undefined)
}

/**
 * Gets new tokens with the newest refresh token. When no answer comes, the app tries again with the same one, as real apps do:
 * within 10 s that gives the same successor, later it revokes the grant.
 * @returns undefined when the app gave up
 */
export async function refreshAgain(visit: Visit, family: Family): Promise<Family | undefined> {
  const token = family.refreshTokens.at(-1)
  if (!token) return undefined
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { status, token: newest, refreshToken } = await refresh(visit, token)
    if (newest && refreshToken) {
      family.newest = newest
      family.refreshTokens = [...family.refreshTokens, refreshToken].slice(-mostKept)
      family.length += 1
      return family
    }
    if (status === 400) break
    await rest(visit.crew)
  }
  // A lost answer may have had a newer one.
  family.refreshTokens = []
  return undefined
}

/** Sends a refresh token whose successor has been used, as a thief would. That must revoke the grant. */
export async function refreshOld(visit: Visit, family: Family): Promise<void> {
  const old = family.refreshTokens.at(-3)
  if (old) await refresh(visit, old)
}

async function refresh(visit: Visit, refreshToken: string) {
  const { crew, ask, app } = visit
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...app.client }
  const taking = takingTokens(visit)
  const { status } = await ask({
    name: 'refresh',
    gateway: anyGateway(crew),
    path: '/oauth/token',
    form,
    about: { refresh: nameOf(refreshToken), clientId: app.client.client_id },
    hear: taking.hear,
    allowed: [200, 400],
  })
  return { status, token: taking.token, refreshToken: taking.refreshToken }
}

/** Takes the tokens out of an answer. */
function takingTokens({ crew }: Pick<Visit, 'crew'>) {
  const taking = {
    token: undefined as AccessToken | undefined,
    refreshToken: undefined as string | undefined,
    hear({ status, text }: Answer) {
      if (status !== 200) return {}
      const { access_token, refresh_token = '' } = JSON.parse(text)
      taking.token = crew.wallet.take(access_token)
      taking.refreshToken = refresh_token
      crew.recorder.keepSecret(refresh_token)
      return { token: taking.token.name, refresh: nameOf(refresh_token) }
    },
  }
  return taking
}
