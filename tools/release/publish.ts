import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesOf } from './make.ts'
import { tagsOf } from './oci-layout.ts'
import { must, ReleaseFailure } from './shell.ts'

/** Where a release is published. */
export type PublishOptions = {
  /** The folder that `make` made. */
  folder: string
  version: string
  /** The registry of images and the path in it, such as ghcr.io/you: the image becomes PATH/gatehouse, the chart PATH/charts/gatehouse. */
  registry: string
  /** Speak HTTP with the registry: for one on this machine. */
  plainHttp?: boolean
  /** Publish the command line on npm, too. */
  npm?: boolean
}

const wholeImage = ['--all', '--preserve-digests']

/**
 * For the list of what refers to an image, all of which has tags of its own. Before skopeo 1.14 this list loses `artifactType` on its way, so
 * it cannot keep its digest; nothing names that.
 */
const listAlone = ['--multi-arch', 'index-only']

/**
 * Publishes a release: image and chart with all that refers to them, and the package of npm. Logins are those of skopeo and npm.
 * @throws ReleaseFailure if a file was changed after it was made, or a registry refuses
 */
export async function publishRelease(options: PublishOptions): Promise<void> {
  const { folder, version, registry, plainHttp = false, npm = false } = options
  const file = filesOf(version)
  if (!existsSync(join(folder, file.checksums)))
    throw new ReleaseFailure(`${folder} is no folder of a release. Make it first: npm run release -- make`)
  await must('sha256sum', ['--check', '--strict', '--quiet', file.checksums], { cwd: folder })
  const tls = plainHttp ? ['--dest-tls-verify=false'] : []
  for (const [archive, name] of [
    [file.image, 'gatehouse'],
    [file.chartImage, 'charts/gatehouse'],
  ] as const) {
    const layout = mkdtempSync(join(tmpdir(), 'gatehouse-release-'))
    try {
      await must('tar', ['-xf', join(folder, archive), '-C', layout])
      for (const tag of tagsOf(layout)) {
        const destination = `${registry}/${name}:${tag}`
        console.log(`Pushing ${destination}`)
        const from = `oci:${layout}:${tag}`
        await must('skopeo', [
          'copy',
          '--quiet',
          ...(tag.startsWith('sha256-') ? listAlone : wholeImage),
          ...tls,
          from,
          `docker://${destination}`,
        ])
      }
    } finally {
      rmSync(layout, { recursive: true, force: true })
    }
  }
  if (npm) await must('npm', ['publish', '--access', 'public', join(folder, file.commandLine)])
}
