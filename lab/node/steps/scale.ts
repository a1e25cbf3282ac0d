import { setTimeout as sleep } from 'node:timers/promises'
import { type Pod, pods, readyAt, settled, until, upgrade } from '../cluster.ts'
import { expectThat, type Step, seconds } from '../findings.ts'
import { theClient } from '../gateway.ts'
import { expectNoFailure, inWords, startLoad } from '../load.ts'
import { issuedBy } from '../metrics.ts'

/** How even a share must be: each pod has at least this part of what it would have if all had the same. */
const even = 0.7
/** Over so many seconds: a gateway gives a replica some twenty calls before it goes on to the next. */
const window = 5

export const scale: Step = {
  name: 'scale',
  title: 'Scale the token service alone, 2 → 4 → 1, under load',
  async run(found) {
    await upgrade('token.replicas=2')
    await settled(['token'])
    const load = startLoad(await theClient(), 100)
    await sleep(3_000)
    await upgrade('token.replicas=4')
    await settled(['token'])
    const four = await pods('token')
    const lastReady = Math.max(...four.map((pod) => readyAt(pod) ?? 0))
    const { after, shares } = await evenShare(four, lastReady)
    expectThat(after <= 10_000, `an even share took ${seconds(after)} after the last pod was ready`)
    found(
      'an even share of four pods, after the last of them was ready',
      `within ${seconds(after)}: ${shares}`,
    )
    await upgrade('token.replicas=1')
    const took = await until('one pod is left', async () => (await pods('token')).length === 1, 90_000)
    found('from four pods to one', seconds(took))
    await sleep(5_000)
    const attempts = await load.stop()
    expectNoFailure(attempts, 'while token was scaled')
    found('tokens meanwhile', inWords(attempts))
    await upgrade('token.replicas=2')
    await settled(['token'])
  },
}

/** Waits until each of the pods has its share of the tokens. */
async function evenShare(among: Pod[], since: number): Promise<{ after: number; shares: string }> {
  const looks: { at: number; issued: number[] }[] = []
  for (;;) {
    looks.push({ at: Date.now(), issued: await issuedBy(among) })
    const [first, last] = [looks.at(-1 - window), looks.at(-1)]
    if (first && last) {
      const issued = last.issued.map((count, index) => count - (first.issued[index] as number))
      const total = issued.reduce((sum, count) => sum + count, 0)
      const shares = issued.map((count) => count / total)
      if (total > 0 && shares.every((share) => share * among.length >= even)) {
        const shown = shares.map((share) => `${Math.round(share * 100)} %`).join(', ')
        return { after: Math.max(0, first.at - since), shares: shown }
      }
      expectThat(first.at - since < 60_000, `the shares are still uneven: ${issued}`)
    }
    await sleep(1_000)
  }
}
