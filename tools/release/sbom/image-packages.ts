import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NpmPackage } from './spdx.ts'

/** A package in package-lock.json. A link leads to a workspace. */
type Locked = {
  name?: string
  version: string
  license?: string
  link?: true
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

/** The workspaces whose packages are in the image, as in the Dockerfile. */
const inImage = ['gateway', 'token', 'client-registry', 'identity', 'events', 'cli']

/**
 * The packages of npm that the image has, for each of its platforms: what its workspaces need at work, without what is optional except
 * native code, which the Dockerfile keeps. `npm sbom` leaves out what is needed for development, too.
 * @param root a checkout
 * @returns them by name and version
 */
export function packagesOfImage(root: string): NpmPackage[] {
  const { license: ours } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const found = new Map<string, NpmPackage>()
  const visited = new Set<string>()

  const neededBy = ({
    dependencies,
    optionalDependencies = {},
    peerDependencies = {},
    ...locked
  }: Locked) => [
    ...Object.keys(dependencies ?? {}),
    ...Object.keys(peerDependencies).filter((name) => !locked.peerDependenciesMeta?.[name]?.optional),
    // Native code lies at the top, as the Dockerfile expects it.
    ...Object.keys(optionalDependencies).filter(
      (name) => name.startsWith('@node-rs/') && runsInImage(packages[`node_modules/${name}`]),
    ),
  ]

  function visit(place: string): void {
    const { link, resolved = place } = packages[place] ?? {}
    const path = link ? resolved : place
    const locked = packages[path]
    if (locked === undefined || visited.has(path)) return
    visited.add(path)
    const {
      name = path.split('node_modules/').at(-1) as string,
      version,
      license = path.includes('node_modules/') ? 'NOASSERTION' : ours,
    } = locked
    found.set(`${name}@${version}`, { name, version, license })
    for (const needed of neededBy(locked)) visit(placeOf(needed, path, packages))
  }

  for (const name of inImage) visit(`node_modules/@gatehouse/${name}`)
  return [...found.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

const keyOf = ({ name, version }: NpmPackage) => `${name}@${version}`

/** Whether a package is for Linux with glibc on one of the image's platforms. */
function runsInImage({ os, cpu, libc }: Locked = { version: '' }): boolean {
  const fits = (allowed: string[] | undefined, ...own: string[]) =>
    allowed === undefined || own.some((each) => allowed.includes(each))
  return fits(os, 'linux') && fits(cpu, 'x64', 'arm64') && fits(libc, 'glibc')
}

/** Where Node.js finds a package for a module at a path: beside it, or above. */
function placeOf(name: string, from: string, packages: Record<string, Locked>): string {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = join(at, 'node_modules', name)
    if (packages[path] !== undefined || at === '') return path
  }
}
