import { join } from 'node:path'
import { buildGoPackage, buildGoTools } from '@gatehouse/test/programs/go-programs'
import { installPackages, program, run } from '@gatehouse/test/programs/programs'
import { imageTools } from '@gatehouse/tools/release/base-images'
import { buildHyperkube } from '../cluster/hyperkube.ts'
import { fetchDefinitions } from './definitions.ts'

/** The packages of Debian for a node: containers, their network, images, and the rules of services and policies. */
const packages = [
  'containerd',
  'runc',
  'containernetworking-plugins',
  'conntrack',
  'iproute2',
  'nftables',
  ...imageTools,
  'docker-registry',
  'openssl',
  'python3-pip',
]

/** The paths of the programs that a node needs and Debian does not have. */
export type Programs = {
  hyperkube: string
  coredns: string
  metricsServer: string
  helm: string
  /** The directories with the programs that stand around Gatehouse in a cluster. */
  around: string[]
}

/** Of all that Prometheus can find its targets by, the one that is wanted here, or its build would take twice as long. */
const discovery = 'remove_all_sd,enable_kubernetes_sd'

/**
 * Installs and builds what a node needs, unless it is there. It takes half an hour of two idle cores the first time.
 * @throws Error when something is missing that cannot be installed
 */
export async function preparePrograms(): Promise<Programs> {
  if (process.getuid?.() !== 0) throw new Error('The node needs root.')
  const isThere = (await run('dpkg', ['-s', ...packages])).ok
  if (!isThere && !(await installPackages(packages)))
    throw new Error(`Needed from Debian: ${packages.join(' ')}`)
  if (!(await program('golang'))) throw new Error('The node is built by Go.')
  const helm = await program('helm')
  if (!helm) throw new Error('The node needs Helm.')
  // So that they are at hand on the node, from where nothing can be downloaded.
  await fetchDefinitions()
  const own = (name: string) => join(import.meta.dirname, name)
  return {
    hyperkube: await buildHyperkube(),
    // Modules of their own: each wants other versions of what Kubernetes is made of.
    coredns: await buildGoPackage(own('coredns')),
    metricsServer: await buildGoPackage(own('metrics-server')),
    helm,
    around: [
      await buildGoTools(own('traefik')),
      await buildGoTools(own('jaeger')),
      await buildGoTools(own('prometheus'), discovery),
      await buildGoTools(own('prometheus-operator')),
    ],
  }
}
