import { anyGateway, rest } from './callers.ts'
import type { Answer } from './journal.ts'
import { type Ending, type Grant, type Issued, settle, underWay } from './ledger.ts'
import { mayBeOver, type Visit } from './visit.ts'
import { replicas } from './world.ts'

async function refresh({ crew, ask, client }: Visit, kind: string, token: string): Promise<Answer> {
  const form = { grant_type: 'refresh_token', refresh_token: token, ...client }
  return ask({ kind, gateway: anyGateway(crew), path: '/oauth/token', form, allowed: [200, 400] })
}

/**
 * Gets new tokens with the newest refresh token. When no answer comes, the app tries again with the same one, as real apps do:
 * within 10 s that gives the same successor, later it revokes the grant.
 * @returns undefined when the app gave up
 */
export async function refreshAgain(visit: Visit, grant: Grant): Promise<Issued | undefined> {
  const { crew } = visit
  const token = grant.refreshTokens.at(-1)
  if (!token) return undefined
  const retries: Ending[] = []
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const ending = underWay()
    if (attempt > 0) {
      retries.push(ending)
      grant.endings.push(ending)
    }
    const answer = await refresh(visit, 'token (refresh_token)', token)
    if (answer.status === 200) {
      // None of the tries has revoked the grant.
      grant.endings = grant.endings.filter((one) => !retries.includes(one))
      return take(visit, grant, answer)
    }
    settle(ending, false)
    if (answer.status === 400) {
      const explained = attempt > 0 || mayBeOver(visit)
      if (answer.error !== 'invalid_grant' || !explained)
        crew.journal.complain(answer, 'a valid refresh token was refused')
      grant.refreshKnown = false
      return undefined
    }
    await rest(crew)
  }
  grant.refreshKnown = false
  return undefined
}

/** Refreshes on both gateways at the same moment, as two tabs of an app do. Both get the same successor. */
export async function refreshTwice(visit: Visit, grant: Grant): Promise<void> {
  const token = grant.refreshTokens.at(-1)
  if (!token) return
  // Whichever comes second may count as reuse, if it comes late.
  const ending = underWay()
  grant.endings.push(ending)
  grant.refreshKnown = false
  const form = { grant_type: 'refresh_token', refresh_token: token, ...visit.client }
  const kind = 'refreshed twice at once'
  const answers = await Promise.all(
    replicas.map((gateway) => visit.ask({ kind, gateway, path: '/oauth/token', form, allowed: [200, 400] })),
  )
  settle(ending, false)
  for (const answer of answers) if (answer.status === 200) take(visit, grant, answer)
}

/** Sends a refresh token whose successor has been used, as a thief would. That must revoke the grant. */
export async function refreshOld(visit: Visit, grant: Grant): Promise<void> {
  const [old] = grant.refreshTokens
  if (!old || grant.refreshTokens.length < 3) return
  const ending = underWay()
  grant.endings.push(ending)
  const answer = await refresh(visit, 'old refresh token', old)
  settle(ending, answer.status === 400 && answer.error === 'invalid_grant')
  if (answer.status === 200) visit.crew.journal.complain(answer, 'an old refresh token was accepted')
}

function take({ crew }: Visit, grant: Grant, answer: Answer): Issued {
  const { access_token: token, refresh_token: next } = JSON.parse(answer.text)
  if (next) grant.refreshTokens.push(next)
  return crew.ledger.issue(token, grant, answer)
}
