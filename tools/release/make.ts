import { createHash, type KeyObject } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { rootDirectory } from '@gatehouse/local/places'
import { installPackages, run } from '@gatehouse/test/programs/programs'
import { imageTools } from './base-images.ts'
import { makeChart } from './chart.ts'
import { makeCommandLine } from './command-line.ts'
import { makeReleaseImage } from './images.ts'
import { notesOf } from './notes.ts'
import { addArtifact, addReferrers, emptyConfig, tagged } from './oci-layout.ts'
import { type Origin, provenanceOf, type Subject } from './provenance.ts'
import { commandLineSbom, imageSbom } from './sbom/sbom.ts'
import { must, ReleaseFailure } from './shell.ts'
import { envelopeOf, publicKeyOf, readKey, signatureOf } from './signature.ts'
import { versionOf } from './versions.ts'

/** How a release is made. */
export type MakeOptions = {
  /** The directory that gets a folder with the name of the version. */
  output: string
  /** The file of the key that signs it. */
  key: string
  /** Where people find the source, such as https://github.com/you/gatehouse. */
  source: string
}

/** The names of the files of a release. */
export function filesOf(version: string) {
  return {
    image: `gatehouse-image-${version}.oci.tar`,
    chartImage: `gatehouse-chart-${version}.oci.tar`,
    chart: `gatehouse-${version}.tgz`,
    commandLine: `gatehouse-cli-${version}.tgz`,
    imageSbom: `gatehouse-image-${version}.spdx.json`,
    commandLineSbom: `gatehouse-cli-${version}.spdx.json`,
    notes: 'RELEASE-NOTES.md',
    key: 'release.pub',
    checksums: 'SHA256SUMS',
    signature: 'SHA256SUMS.sig',
    provenance: 'provenance.intoto.jsonl',
  } as const
}

/**
 * Makes everything that a release consists of, from the commit of this checkout, and tags the commit.
 * @returns the folder of the release
 * @throws ReleaseFailure if the checkout is not ready for it, or a step fails: then there is no folder
 */
export async function makeRelease({ output, key: keyFile, source }: MakeOptions): Promise<string> {
  const startedOn = new Date()
  const key = readKey(keyFile)
  const { version, commit, created, notes } = await readyCheckout()
  const folder = join(output, version)
  if (existsSync(folder)) throw new ReleaseFailure(`${folder} exists. Remove it, or name another --output.`)
  await needed()
  // No folder of a cache: Biome checks less of what lies below a hidden folder.
  const workshop = mkdtempSync(join(tmpdir(), 'gatehouse-release-'))
  try {
    const draft = await makeParts(workshop, { version, commit, created, notes, key, source, startedOn })
    await tag(version, commit)
    mkdirSync(output, { recursive: true })
    await must('cp', ['-r', draft, folder])
    return folder
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

/** The facts that the parts of a release are made from. */
type Facts = Omit<Origin, 'finishedOn' | 'materials'> & { created: Date; notes: string; key: KeyObject }

/** Makes the files of a release. @returns the directory with them, in the workshop */
async function makeParts(workshop: string, facts: Facts): Promise<string> {
  const { version, commit, created, notes, key, source, startedOn } = facts
  const root = await cleanClone(commit, join(workshop, 'source'))
  const draft = join(workshop, 'draft')
  mkdirSync(draft)
  const file = filesOf(version)
  const put = (name: string, content: string | Buffer) => writeFileSync(join(draft, name), content)

  console.log('Packing the chart and the command line.')
  const layouts = { image: join(workshop, 'image.oci'), chart: join(workshop, 'chart.oci') }
  await makeChart(root, draft, layouts.chart)
  const { archive, bundled } = await makeCommandLine(root, workshop)
  renameSync(archive, join(draft, file.commandLine))
  put(file.commandLineSbom, commandLineSbom(version, created, bundled))

  await makeReleaseImage(root, layouts.image, { version, commit, source, created })
  put(file.imageSbom, await imageSbom(root, created))
  put(file.notes, notes)
  put(file.key, publicKeyOf(key))

  const image = tagged(layouts.image, version)
  const subjects: Subject[] = [
    { name: `gatehouse:${version}`, digest: { sha256: image.digest.slice('sha256:'.length) } },
    {
      name: `charts/gatehouse:${version}`,
      digest: { sha256: tagged(layouts.chart, version).digest.slice('sha256:'.length) },
    },
    ...(await sums(draft)),
  ]
  const origin = {
    version,
    commit,
    source,
    startedOn,
    finishedOn: new Date(),
    materials: materials(root),
  }
  const envelope = envelopeOf(provenanceOf(subjects, origin), key)
  put(file.provenance, `${envelope}\n`)
  const attach = (artifactType: string, tag: string, title: string) =>
    addArtifact(layouts.image, tag, {
      artifactType,
      config: emptyConfig,
      layer: { mediaType: artifactType, content: readFileSync(join(draft, title)), title },
      subject: { mediaType: image.mediaType, digest: image.digest, size: image.size },
    })
  addReferrers(layouts.image, image, [
    attach('application/spdx+json', `${version}-sbom`, file.imageSbom),
    attach('application/vnd.in-toto+json', `${version}-provenance`, file.provenance),
  ])
  await pack(layouts.image, join(draft, file.image))
  await pack(layouts.chart, join(draft, file.chartImage))

  put(file.signature, signatureOf(key, await writeSums(draft, file.checksums)))
  return draft
}

/** @throws ReleaseFailure in one sentence, if what is committed cannot be released */
async function readyCheckout() {
  const git = (...argv: string[]) => must('git', ['-C', rootDirectory, ...argv])
  if ((await git('status', '--porcelain')) !== '')
    throw new ReleaseFailure('There are changes that are not committed. Commit them first.')
  const version = versionOf(rootDirectory)
  const notes = notesOf(readFileSync(join(rootDirectory, 'CHANGELOG.md'), 'utf8'), version)
  const commit = await git('rev-parse', 'HEAD')
  const { ok, stdout } = await run('git', [
    '-C',
    rootDirectory,
    'rev-parse',
    '--verify',
    '--quiet',
    `v${version}^{commit}`,
  ])
  if (ok && stdout.trim() !== commit)
    throw new ReleaseFailure(
      `The tag v${version} is at another commit (${stdout.slice(0, 12)}). Check that out, or release another version.`,
    )
  const created = new Date(Number(await git('show', '--no-patch', '--format=%ct', commit)) * 1000)
  return { version, notes, commit, created }
}

async function tag(version: string, commit: string): Promise<void> {
  const name = `v${version}`
  const { ok } = await run('git', ['-C', rootDirectory, 'rev-parse', '--verify', '--quiet', name])
  if (!ok) await must('git', ['-C', rootDirectory, 'tag', '--annotate', name, '--message', name, commit])
}

/** @throws ReleaseFailure if a program is missing and cannot be installed */
async function needed(): Promise<void> {
  if ((await run('dpkg', ['-s', ...imageTools])).ok) return
  if (!(await installPackages(imageTools)))
    throw new ReleaseFailure(`Images are made with ${imageTools.join(', ')} of Debian, by root.`)
}

/** A clone of the commit alone, with its dependencies, so that nothing of this directory gets into the release. */
async function cleanClone(commit: string, root: string): Promise<string> {
  console.log('Installing a clean clone.')
  await must('git', ['clone', '--quiet', rootDirectory, root])
  await must('git', ['-C', root, 'checkout', '--quiet', commit])
  await must('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root })
  await must('npm', ['run', '--silent', 'check'], { cwd: root })
  return root
}

/** The packages of npm that the release was made from, by the lock, and Node.js. */
function materials(root: string): Origin['materials'] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string; link?: boolean }>
  }
  return Object.entries(packages).flatMap(([path, { version, integrity }]) => {
    const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1]
    if (!name || !version || !integrity?.startsWith('sha512-')) return []
    const sha512 = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
    return { uri: `pkg:npm/${name.replace('@', '%40')}@${version}`, digest: { sha512 } }
  })
}

/** The digests of the files of a directory, by their names in order. */
async function sums(directory: string): Promise<Subject[]> {
  return Promise.all(
    readdirSync(directory)
      .sort()
      .map(async (name) => {
        const hash = createHash('sha256')
        await pipeline(createReadStream(join(directory, name)), hash)
        return { name, digest: { sha256: hash.digest('hex') } }
      }),
  )
}

/**
 * Writes the digests of the files of a directory into one of its own, as sha256sum reads them.
 * @returns what it wrote
 */
export async function writeSums(directory: string, name: string): Promise<Buffer> {
  const lines = (await sums(directory)).map(({ name, digest }) => `${digest.sha256}  ${name}\n`)
  const content = Buffer.from(lines.join(''))
  writeFileSync(join(directory, name), content)
  return content
}

/** Packs a layout into one file, whose bytes depend on its content alone. */
export async function pack(layout: string, archive: string): Promise<void> {
  const options = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=ustar']
  await must('tar', [...options, '-cf', archive, '-C', layout, '.'])
}
