import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { buildImage, context } from './buildah.ts'
import { must } from './shell.ts'

/** The platforms that images are made for: OCI's name of each, and that of npm's packages. */
export const platforms = { amd64: 'x64', arm64: 'arm64' } as const
export type Platform = keyof typeof platforms

/** The packages of Debian for making images. */
export const imageTools = ['buildah', 'mmdebstrap', 'skopeo']

/** The packages of Debian that are all of the image that Gatehouse runs on. */
const basePackages = [
  'base-files',
  'ca-certificates',
  'libc6',
  'libgcc-s1',
  'libgomp1',
  'libssl3',
  'libstdc++6',
  'netbase',
  'tzdata',
]

/** The packages of Debian in the image that builds, besides Debian's own. */
const builderPackages = ['ca-certificates', 'libatomic1', 'libstdc++6']

/** Keeps the description of each package as distroless images do, for scanners and for our own list. */
const keepDescriptions = `--extract-hook=mkdir -p "$1/var/lib/dpkg/status.d" && for deb in "$1"/var/cache/apt/archives/*.deb; do
  dpkg-deb --field "$deb" > "$1/var/lib/dpkg/status.d/$(dpkg-deb --field "$deb" Package)"
done`

const files = join(import.meta.dirname, 'images')
const root = JSON.parse(readFileSync(join(rootDirectory, 'package.json'), 'utf8')) as {
  packageManager: string
  devDependencies: { node: string }
}

/** The arguments of the Dockerfile: the images made here, in place of those of a registry, and the platforms. */
export function baseArguments(platform: Platform): string[] {
  const all = {
    NODE_IMAGE: 'localhost/builder:1',
    TARGET_NODE_IMAGE: `localhost/node-${platform}:1`,
    BASE_IMAGE: `localhost/base-${platform}:1`,
    // Docker gives these itself; Debian's buildah takes the platform of the result for both.
    BUILDPLATFORM: 'linux/amd64',
    TARGETPLATFORM: `linux/${platform}`,
  }
  return Object.entries(all).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
}

/**
 * Makes the images that the Dockerfile begins with, from packages of Debian and npm alone.
 * @param anew with the packages that Debian has now, not those of an earlier build, in which faults may have been mended since
 */
export async function makeBaseImages(anew = false): Promise<void> {
  mkdirSync(context, { recursive: true })
  if (anew)
    for (const name of ['builder', ...Object.keys(platforms).map((platform) => `${platform}/base`)])
      rmSync(join(context, `${name}.tar`), { force: true })
  // The builder asks the registry of npm as this machine does, perhaps through a proxy with an authority of its own.
  copyFileSync('/etc/ssl/certs/ca-certificates.crt', join(context, 'ca-certificates.crt'))
  await makeBuilder()
  for (const platform of Object.keys(platforms) as Platform[]) await makeBase(platform)
}

async function makeBuilder(): Promise<void> {
  await packDebian(join(context, 'builder.tar'), 'amd64', 'essential', builderPackages)
  copyFileSync(await nodeOf('amd64'), join(context, 'node'))
  if (!existsSync(join(context, 'npm'))) {
    const directory = join(context, 'npm-install')
    mkdirSync(directory, { recursive: true })
    await must('npm', ['install', '--silent', '--no-save', '--prefix', directory, root.packageManager])
    renameSync(join(directory, 'node_modules/npm'), join(context, 'npm'))
  }
  await buildImage('builder:1', join(files, 'builder.Containerfile'), context)
}

/** The image that Gatehouse runs on, and the one that has the Node.js of the platform. */
async function makeBase(platform: Platform): Promise<void> {
  const directory = join(context, platform)
  mkdirSync(directory, { recursive: true })
  // Unpacked, not installed: no program of the other platform runs here.
  await packDebian(join(directory, 'base.tar'), platform, 'extract', basePackages, keepDescriptions)
  // The same authorities as the package's own script gathers. This machine's file may have authorities that nobody else trusts.
  const authorities = [
    '--wildcards',
    '-xOf',
    join(directory, 'base.tar'),
    './usr/share/ca-certificates/*.crt',
  ]
  writeFileSync(join(directory, 'ca-certificates.crt'), `${await must('tar', authorities)}\n`)
  const user = (name: string, id: number, home: string) =>
    `${name}:x:${id}:${id}:${name}:${home}:/sbin/nologin\n`
  writeFileSync(join(directory, 'passwd'), user('root', 0, '/root') + user('nonroot', 65532, '/home/nonroot'))
  writeFileSync(join(directory, 'group'), 'root:x:0:\nnonroot:x:65532:\n')
  copyFileSync(await nodeOf(platform), join(directory, 'node'))
  for (const name of ['base', 'node'])
    await buildImage(
      `${name}-${platform}:1`,
      join(files, `${name}.Containerfile`),
      directory,
      ...['--platform', `linux/${platform}`],
    )
}

/** The program Node.js for a platform, from npm's package of it. */
export async function nodeOf(platform: Platform): Promise<string> {
  const name = `node-linux-${platforms[platform]}@${root.devDependencies.node}`
  const directory = join(context, name)
  const program = join(directory, 'package/bin/node')
  if (existsSync(program)) return program
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const archive = await must('npm', ['pack', '--silent', '--pack-destination', directory, name])
  await must('tar', ['-xzf', join(directory, archive), '-C', directory])
  return program
}

/**
 * Packs packages of Debian with all that they depend on, unless the archive has just these.
 * @param path the archive
 * @param variant what mmdebstrap makes of them: `essential` installs them beside Debian's own, `extract` only unpacks them
 * @param further more arguments of mmdebstrap
 */
export async function packDebian(
  path: string,
  platform: Platform,
  variant: 'essential' | 'extract',
  packages: readonly string[],
  ...further: string[]
): Promise<void> {
  const record = `${path}.packages`
  const wanted = [variant, ...packages, ...further].join('\n')
  if (existsSync(path) && existsSync(record) && readFileSync(record, 'utf8') === wanted) return
  console.log(`Packing Debian (${basename(path)}, ${platform}).`)
  const list = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].find(existsSync) ?? ''
  const [, release = ''] = /VERSION_CODENAME=(\w+)/.exec(readFileSync('/etc/os-release', 'utf8')) ?? []
  const options = [
    '--quiet',
    '--mode=root',
    `--variant=${variant}`,
    `--architectures=${platform}`,
    `--include=${packages.join()}`,
    ...further,
  ]
  const draft = `${path}.draft.tar`
  await must('mmdebstrap', [...options, release, draft, list])
  renameSync(draft, path)
  writeFileSync(record, wanted)
}

/** A package of Debian in the image that Gatehouse runs on. */
export type DebianPackage = { name: string; version: string; platform: Platform }

/** The packages of Debian in the base image of a platform. */
export async function debianPackages(platform: Platform): Promise<DebianPackage[]> {
  const archive = join(context, platform, 'base.tar')
  const options = ['--wildcards', '-xOf', archive, './var/lib/dpkg/status.d/*']
  const text = await must('tar', options)
  return [...text.matchAll(/^Package: (.+)\n(?:.+\n)*?Version: (.+)$/gm)].map(
    ([, name = '', version = '']) => ({
      name,
      version,
      platform,
    }),
  )
}
