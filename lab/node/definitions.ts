import {
  fetchDefinition,
  gatewayDefinitions,
  monitoringDefinitions,
} from '../../test/deploy/chart-schemas.ts'
import { kubectl } from './cluster.ts'

/** Kinds that Kubernetes does not have by itself, and the directories with their definitions. */
const directories = { gateway: gatewayDefinitions, monitoring: monitoringDefinitions }

/** Downloads all of them. */
export async function fetchDefinitions(): Promise<void> {
  for (const directory of Object.values(directories)) await fetchDefinition(directory)
}

/** Makes the cluster know some of these kinds, as their projects say: by their own files. */
export async function defineKinds(kinds: keyof typeof directories): Promise<void> {
  const directory = await fetchDefinition(directories[kinds])
  await kubectl('apply', '--server-side', '--force-conflicts', '-f', directory)
  await kubectl('wait', 'crd', '--all', '--for=condition=Established', '--timeout=60s')
}
