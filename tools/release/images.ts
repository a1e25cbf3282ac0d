import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { baseArguments, makeBaseImages, type Platform, platforms } from './base-images.ts'
import { buildah, buildImage } from './buildah.ts'

/** The facts in an image's labels (OCI image specification, "Pre-defined annotation keys"). */
export type ImageFacts = {
  version: string
  commit: string
  source: string
  /** When the commit was made; the files of the image have this time. */
  created: Date
}

/**
 * Builds the image of a checkout for a platform, by its Dockerfile.
 * @param image its name and tag
 * @param root the checkout
 */
export async function buildGatehouse(
  image: string,
  root: string,
  platform: Platform,
  ...options: string[]
): Promise<void> {
  const docker = join(root, 'deploy/docker')
  await buildImage(
    image,
    join(docker, 'Dockerfile'),
    root,
    ...['--platform', `linux/${platform}`, '--ignorefile', join(docker, 'Dockerfile.dockerignore')],
    ...baseArguments(platform),
    '--pull=never',
    ...options,
  )
}

/** The options of buildah that give an image its labels. The base image was made here, so its digest is known. */
async function labels(facts: ImageFacts, platform: Platform): Promise<string[]> {
  const base = `localhost/base-${platform}:1`
  const digest = await buildah('inspect', '--type', 'image', '--format', '{{.FromImageDigest}}', base)
  const all = {
    version: facts.version,
    revision: facts.commit,
    source: facts.source,
    created: facts.created.toISOString(),
    'base.name': 'debian:bookworm (packages)',
    'base.digest': digest,
  }
  return Object.entries(all).flatMap(([name, value]) => [
    '--label',
    `org.opencontainers.image.${name}=${value}`,
  ])
}

/**
 * Makes the image of a release for each platform, as an OCI layout with one index under the tag of the version.
 * @param root a clean checkout of the release
 * @param layout the directory that becomes the layout
 */
export async function makeReleaseImage(root: string, layout: string, facts: ImageFacts): Promise<void> {
  await makeBaseImages(true)
  const list = `localhost/gatehouse-release:${facts.version}`
  // There is one only of an attempt before; one that could not be removed fails the next line.
  await buildah('manifest', 'rm', list).catch(() => undefined)
  await buildah('manifest', 'create', list)
  const seconds = String(Math.floor(facts.created.getTime() / 1000))
  for (const platform of Object.keys(platforms) as Platform[]) {
    const image = `gatehouse-${platform}:${facts.version}`
    await buildGatehouse(image, root, platform, '--timestamp', seconds, ...(await labels(facts, platform)))
    await buildah('manifest', 'add', list, `localhost/${image}`)
  }
  rmSync(layout, { recursive: true, force: true })
  mkdirSync(layout, { recursive: true })
  await buildah('manifest', 'push', '--all', '--format', 'oci', list, `oci:${layout}:${facts.version}`)
}
