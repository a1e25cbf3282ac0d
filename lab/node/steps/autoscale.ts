import { setTimeout as sleep } from 'node:timers/promises'
import { kubectl, pods, settled, until, upgrade } from '../cluster.ts'
import { expectThat, type Step, seconds } from '../findings.ts'
import { theClient } from '../gateway.ts'
import { expectNoFailure, inWords, startCallers, startLoad } from '../load.ts'

/** The CPU that the pods of token should use: less than by default, since one gateway on two cores cannot keep four of them busy. */
const target = '80m'
/** The chart waits five minutes before it goes down. */
const shorter = { spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 15 } } } }

export const autoscale: Step = {
  name: 'autoscale',
  title: 'The autoscaler scales the token service alone by its CPU, and back',
  async run(found) {
    const client = await theClient()
    const others = async () => {
      const all = await pods()
      return all
        .filter(({ metadata }) => !metadata.name.startsWith('gatehouse-token-'))
        .map(({ metadata }) => metadata.name)
    }
    const before = await others()
    await kubectl('-n', 'kube-system', 'rollout', 'status', 'deployment/metrics-server', '--timeout=120s')
    await upgrade(
      'token.autoscaling.enabled=true',
      'token.autoscaling.minReplicas=1',
      'token.autoscaling.maxReplicas=4',
      `token.autoscaling.targetCPU=${target}`,
    )
    await kubectl('patch', 'hpa', 'gatehouse-token', '--type=merge', '-p', JSON.stringify(shorter))
    await until('one pod is left of token', async () => (await pods('token')).length === 1, 180_000)
    const light = startLoad(client, 20)
    const heavy = startCallers(client, 32)
    const up = await until(
      'there are four pods of token',
      async () => (await pods('token')).length === 4,
      240_000,
    )
    found(`from one pod to four, at ${target} for each`, seconds(up))
    await settled(['token'])
    await sleep(10_000)
    const loaded = await heavy.stop()
    const down = await until(
      'one pod is left of token',
      async () => (await pods('token')).length === 1,
      480_000,
    )
    found('from four pods to one, when the load was gone', seconds(down))
    const attempts = [...(await light.stop()), ...loaded]
    expectNoFailure(attempts, 'while the autoscaler worked')
    found('tokens meanwhile', inWords(attempts))
    expectThat((await others()).join() === before.join(), 'other pods than those of token changed')
    await upgrade('token.autoscaling.enabled=false')
    await settled(['token'])
  },
}
