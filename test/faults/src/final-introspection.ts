import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from './asking.ts'
import type { Introspected } from './checks.ts'
import type { Issued } from './ledger.ts'
import type { Replica } from './world.ts'

/**
 * Introspects a token on a gateway after the load has ended.
 * @throws Error when there is no answer although all processes serve
 */
export async function introspectOne(ask: Ask, issued: Issued, gateway: Replica): Promise<Introspected> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const answer = await ask({
      kind: 'introspect at the end',
      gateway,
      path: '/oauth/introspect',
      form: { token: issued.token },
      allowed: [200],
    })
    if (answer.status === 200) {
      return { issued, gateway, active: JSON.parse(answer.text).active === true, asked: answer }
    }
    await sleep(500)
  }
  throw new Error(`gateway ${gateway} does not introspect although everything is well`)
}
