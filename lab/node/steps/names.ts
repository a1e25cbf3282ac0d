import { ask, kubectl, settled, upgrade } from '../cluster.ts'
import type { Step } from '../findings.ts'
import { replaceAll } from './replace.ts'

const coredns = ['-n', 'kube-system']

/** Makes the name server tell that its answers are good for so many seconds, and keep them as long itself. */
async function keepAnswers(seconds: number): Promise<void> {
  const path = '/api/v1/namespaces/kube-system/configmaps/coredns'
  const { data } = await ask<{ data: { Corefile: string } }>(path)
  const Corefile = data.Corefile.replace(/\b(ttl|cache) \d+/g, `$1 ${seconds}`)
  await kubectl(
    ...coredns,
    'patch',
    'configmap',
    'coredns',
    '--type=merge',
    '-p',
    JSON.stringify({ data: { Corefile } }),
  )
  await kubectl(...coredns, 'rollout', 'restart', 'deployment/coredns')
  await kubectl(...coredns, 'rollout', 'status', 'deployment/coredns', '--timeout=60s')
}

export const names: Step = {
  name: 'names',
  title: 'An upgrade where the name server keeps its answers for 30 s, as in some clusters',
  async run(found) {
    // The chart's defaults, also on a release that was installed with others.
    await upgrade('defaults.preStopSleepSeconds=35', 'defaults.terminationGracePeriodSeconds=60')
    await settled()
    await keepAnswers(30)
    try {
      const again = () => upgrade(`defaults.podAnnotations.round=n${Date.now()}`)
      found('helm upgrade', await replaceAll('helm upgrade', again))
      found('helm upgrade, once more', await replaceAll('helm upgrade, once more', again))
    } finally {
      await keepAnswers(5)
    }
  },
}
