import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { runHere } from '@gatehouse/test/programs/run'
import { buildah } from '@gatehouse/tools/release/buildah'
import { makeChart } from '@gatehouse/tools/release/chart'
import { buildGatehouse } from '@gatehouse/tools/release/images'
import { filesOf, pack, writeSums } from '@gatehouse/tools/release/make'
import { makeLayout } from '@gatehouse/tools/release/oci-layout'
import { versionOf } from '@gatehouse/tools/release/versions'
import { onNode } from './node.ts'
import { home, registry } from './places.ts'

/**
 * Makes of this checkout, with what is not committed, the files of a release that publishing needs: the image for this
 * machine alone, and the chart.
 * @returns the directory that has them in a folder with the name of the version
 */
export async function makeDraft(): Promise<string> {
  const version = versionOf(rootDirectory)
  const output = join(home, 'draft')
  const folder = join(output, version)
  const layout = join(home, 'layout')
  rmSync(output, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const file = filesOf(version)
  await makeChart(rootDirectory, folder, layout)
  await pack(layout, join(folder, file.chartImage))
  await buildGatehouse('gatehouse:head', rootDirectory, 'amd64')
  makeLayout(layout)
  await buildah('push', '--format', 'oci', 'localhost/gatehouse:head', `oci:${layout}:${version}`)
  await pack(layout, join(folder, file.image))
  rmSync(layout, { recursive: true })
  await writeSums(folder, file.checksums)
  return output
}

/**
 * Publishes a release of this checkout's version in the node's registry, by the command that publishes any.
 * @param output the directory in which `npm run release -- make` made it
 * @throws Error if that fails; the command says why
 */
export async function publishOnNode(output: string): Promise<void> {
  const command = [process.execPath, join(rootDirectory, 'tools/release/main.ts'), 'publish']
  const options = ['--registry', registry, '--plain-http', '--output', output]
  const code = await runHere(...onNode(...command, ...options))
  if (code !== 0) throw new Error(`What is in ${output} cannot be published.`)
}
