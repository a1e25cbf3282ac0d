import { setTimeout as sleep } from 'node:timers/promises'
import { replicas } from '../world/world.ts'
import type { User } from './administrator.ts'
import type { Ask } from './asking.ts'
import { anyGateway, type Crew, introspect } from './callers.ts'
import { refreshAgain, refreshOld } from './redeeming.ts'
import type { App, Visit } from './visit.ts'
import type { AccessToken } from './wallet.ts'

/** The questions that are asked when everything is reachable again. */
export type FinalQuestions = {
  /** Introspects every token that is still known, on both gateways. @param most how many of the expired ones */
  tokens(mostExpired: number): Promise<void>
  /**
   * Tries the families that are still known: the newest refresh token; then an old one, which revokes the family; then the newest
   * access token on both gateways.
   */
  families(most: number): Promise<void>
  /** Opens the link of each mail that cannot have expired. */
  mailLinks(): Promise<void>
}

/** How many questions are asked at once. */
const askers = 24
/** How long the link of a mail works for certain, in milliseconds: an hour, without the time of the questions. */
const linkLifetime = 45 * 60_000

/** Creates the final questions. The checker judges the answers like those of any other operation. */
export function createFinalQuestions(crew: Crew, pairs: readonly { user: User; app: App }[]): FinalQuestions {
  const ask = crew.askFrom('final', '192.0.2.200')

  return {
    async tokens(mostExpired) {
      const now = crew.recorder.now()
      const all = crew.wallet.tokens()
      const expired = all.filter(({ name }) => name.expires <= now)
      const step = Math.ceil(expired.length / mostExpired)
      const asked = [
        ...all.filter(({ name }) => name.expires > now),
        ...expired.filter((_, index) => index % step === 0),
      ]
      await eachOf(asked, (token) => introspectOnBoth(ask, token))
    },

    async families(most) {
      const known = crew.wallet.families().filter(({ refreshTokens }) => refreshTokens.length > 0)
      await eachOf(known.slice(-most), async (family) => {
        const pair = pairs.find(({ app }) => app.client.client_id === family.clientId)
        if (!pair) return
        const visit: Visit = { crew, ask, ...pair, jar: new Map(), session: '', began: 0 }
        if (!(await refreshAgain(visit, family))) return
        await refreshOld(visit, family)
        await introspectOnBoth(ask, family.newest)
      })
    },

    async mailLinks() {
      const since = crew.recorder.now() - linkLifetime
      const links = [...crew.world.consumers.links()].filter(([, { at }]) => at > since)
      await eachOf(links, async ([id, { url }]) => {
        await ask({
          name: 'mail link',
          gateway: anyGateway(crew),
          path: `${url.pathname}${url.search}`,
          jar: new Map(),
          about: { target: id },
          // A link that no longer works has a page without a form.
          hear: ({ status, text }) => ({ valid: status === 200 && text.includes('<form') }),
          allowed: [200, 400, 404, 410],
        })
      })
    },
  }
}

/** @throws Error when there is no answer although everything is reachable */
async function introspectOnBoth(ask: Ask, token: AccessToken): Promise<void> {
  for (const gateway of replicas) {
    let attempts = 1
    while ((await introspect(ask, token, gateway)).status !== 200) {
      attempts += 1
      if (attempts > 10) throw new Error(`gateway ${gateway} does not introspect although everything is well`)
      await sleep(500)
    }
  }
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: askers }, async () => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item)
    }),
  )
}
