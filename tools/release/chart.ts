import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from '@gatehouse/test/programs/programs'
import { parse } from 'yaml'
import { addArtifact, makeLayout } from './oci-layout.ts'
import { must, ReleaseFailure } from './shell.ts'

/**
 * Packs the chart of a checkout, and makes it an OCI artifact as Helm pushes it.
 * @param root the checkout
 * @param directory where the archive is written
 * @param layout the directory that becomes an OCI layout, with the chart under the tag of its version
 * @returns the path of the archive
 */
export async function makeChart(root: string, directory: string, layout: string): Promise<string> {
  const helm = await program('helm')
  if (!helm) throw new ReleaseFailure('The chart is packed by Helm, which is neither here nor can be built.')
  const source = join(root, 'deploy/helm/gatehouse')
  await must(helm, ['lint', '--quiet', source])
  await must(helm, ['package', source, '--destination', directory])
  const facts = parse(readFileSync(join(source, 'Chart.yaml'), 'utf8')) as Record<string, string>
  const { name = '', version = '', description = '' } = facts
  const archive = join(directory, `${name}-${version}.tgz`)
  makeLayout(layout)
  addArtifact(layout, version, {
    config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', content: JSON.stringify(facts) },
    layer: {
      mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
      content: readFileSync(archive),
      title: `${name}-${version}.tgz`,
    },
    annotations: {
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.description': description,
    },
  })
  return archive
}
