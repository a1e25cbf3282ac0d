import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ReleaseFailure } from './shell.ts'

/** The files that name the version of the release, each by a pattern with the version in its first group. */
const places: [file: string, pattern: RegExp][] = [
  ['deploy/helm/gatehouse/Chart.yaml', /^version: (\S+)$/gm],
  ['deploy/helm/gatehouse/Chart.yaml', /^appVersion: (\S+)$/gm],
]

/** The packages of the checkout: their package.json, and what the lock says of them. */
function manifests(root: string): string[] {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return ['', ...globSync(workspaces as string[], { cwd: root })].map((directory) =>
    join(directory, 'package.json'),
  )
}

type Manifest = { version?: string; packages?: Record<string, Manifest> }

/** Every place with the version, and the version that it names. */
function named(root: string): [place: string, version: string][] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const packages = manifests(root).map((file): [string, string] => [
    file,
    (JSON.parse(read(file)) as Manifest).version ?? 'none',
  ])
  const texts = places.flatMap(([file, pattern]) =>
    [...read(file).matchAll(pattern)].map(([, version = '']): [string, string] => [file, version]),
  )
  return [...packages, ...texts]
}

/**
 * The version of a checkout.
 * @throws ReleaseFailure if two files name different ones
 */
export function versionOf(root: string): string {
  const { version = '' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const other = named(root).find(([, found]) => found !== version)
  if (other) throw new ReleaseFailure(`package.json names version ${version}, but ${other[0]} ${other[1]}.`)
  return version
}

/** The list of the last migration of each release. */
const releases = 'prisma/src/releases.ts'

/** Adds a release to the list, with the newest migration of the checkout. */
function withLastMigration(root: string, text: string, version: string): string {
  const newest = globSync('prisma/migrations/*/', { cwd: root }).sort().at(-1) ?? ''
  return text.replace('\n]\n', `\n  ['${version}', '${basename(newest)}'],\n]\n`)
}

/** The files of documentation whose examples name the version. */
const examples = ['README.md', 'docs/**/*.md', 'deploy/helm/gatehouse/README.md']

/**
 * Gives a checkout another version: in the packages, the lock, the chart, the list of releases, and the examples of the documentation.
 * @returns the files that changed
 */
export function raiseVersion(root: string, version: string): string[] {
  const before = versionOf(root)
  const changed: string[] = []
  const change = (file: string, edit: (text: string) => string) => {
    const path = join(root, file)
    const text = readFileSync(path, 'utf8')
    const next = edit(text)
    if (next === text) return
    writeFileSync(path, next)
    changed.push(file)
  }
  const inManifest = (text: string) => {
    const manifest = JSON.parse(text) as Manifest
    manifest.version = version
    for (const [path, one] of Object.entries(manifest.packages ?? {}))
      if (!path.includes('node_modules') && one.version === before) one.version = version
    return `${JSON.stringify(manifest, undefined, 2)}\n`
  }
  for (const file of [...manifests(root), 'package-lock.json']) change(file, inManifest)
  change(releases, (text) => withLastMigration(root, text, version))
  for (const [file, pattern] of places)
    change(file, (text) => text.replaceAll(pattern, (line, old) => line.replace(old, version)))
  // Only where the version stands as a tag, a chart's version or in a user agent, not where a sentence speaks of that release.
  const example = new RegExp(`(?<=[:/=v]|version )${before.replaceAll('.', '\\.')}(?![\\w.])`, 'g')
  for (const file of globSync(examples, {
    cwd: root,
    exclude: (name) => /node_modules|\.vitepress/.test(String(name)),
  }))
    change(file, (text) => text.replaceAll(example, version))
  return changed
}
