import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DebianPackage, debianPackages, type Platform, platforms } from '../base-images.ts'
import { packagesOfImage } from './image-packages.ts'
import { type NpmPackage, ofNpm, type SpdxPackage, spdxDocument, spdxPackage } from './spdx.ts'

/**
 * The packages of npm, of Debian and Node.js that the image has (SPDX 2.3).
 * @param root a checkout
 */
export async function imageSbom(root: string, created: Date): Promise<string> {
  const { version, license, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const debian = await Promise.all((Object.keys(platforms) as Platform[]).map(debianPackages))
  return spdxDocument(spdxPackage('oci', 'gatehouse', version, license), created, [
    ...packagesOfImage(root).map(ofNpm),
    spdxPackage('generic', 'node', devDependencies.node),
    ...debian.flat().map(ofDebian),
  ])
}

/** The packages whose code is in the package of the command line (SPDX 2.3). */
export function commandLineSbom(version: string, created: Date, bundled: readonly NpmPackage[]): string {
  const own = spdxPackage('npm', '@gatehouse/cli', version, 'Apache-2.0')
  return spdxDocument(own, created, bundled.map(ofNpm))
}

function ofDebian({ name, version, platform }: DebianPackage): SpdxPackage {
  return spdxPackage('deb/debian', name, version, 'NOASSERTION', `?arch=${platform}&distro=bookworm`)
}
