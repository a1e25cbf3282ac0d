import { join } from 'node:path'
import { buildGoPackage } from '@gatehouse/test/go-programs'
import { installPackages, program, run } from '@gatehouse/test/programs'
import { buildHyperkube } from '../cluster/hyperkube.ts'
import { definitions, readDefinition } from '../deploy/chart-schemas.ts'

/** What Debian has of a node: containers, their network, images, and the rules of services and policies. */
const packages = [
  'containerd',
  'runc',
  'containernetworking-plugins',
  'conntrack',
  'iproute2',
  'nftables',
  'buildah',
  'mmdebstrap',
  'openssl',
  'python3-pip',
]

/** The paths of the programs that a node needs and Debian does not have. */
export type Programs = { hyperkube: string; coredns: string; metricsServer: string; helm: string }

/**
 * Installs and builds what a node needs, unless it is there. It takes a quarter of an hour of two cores the first time.
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
  for (const definition of definitions) await readDefinition(definition)
  return {
    hyperkube: await buildHyperkube(),
    // Modules of their own: each wants other versions of what Kubernetes is made of.
    coredns: await buildGoPackage(join(import.meta.dirname, 'coredns')),
    metricsServer: await buildGoPackage(join(import.meta.dirname, 'metrics-server')),
    helm,
  }
}
