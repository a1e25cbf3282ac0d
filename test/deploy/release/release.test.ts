import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { program, run } from '@gatehouse/test/programs/programs'
import { makeChart } from '@gatehouse/tools/release/chart'
import { makeCommandLine } from '@gatehouse/tools/release/command-line'
import { notesOf, withVersion } from '@gatehouse/tools/release/notes'
import {
  addArtifact,
  addReferrers,
  emptyConfig,
  makeLayout,
  tagged,
  tagsOf,
} from '@gatehouse/tools/release/oci-layout'
import { provenanceOf } from '@gatehouse/tools/release/provenance'
import { packagesOfImage } from '@gatehouse/tools/release/sbom/image-packages'
import { commandLineSbom } from '@gatehouse/tools/release/sbom/sbom'
import { envelopeOf, publicKeyOf, readKey, signatureOf } from '@gatehouse/tools/release/signature'
import { raiseVersion, versionOf } from '@gatehouse/tools/release/versions'
import { afterAll, describe, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-release-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
const inDirectory = (...names: string[]) => join(directory, ...names)
const openssl = await program('openssl')
const helm = await program('helm')
const { version } = JSON.parse(readFileSync(join(rootDirectory, 'package.json'), 'utf8'))

describe('the notes of a release', () => {
  const changelog = '# Changelog\n\nWords.\n\n## 1.1.0\n\n### Added\n\n- One.\n\n## 1.0.0\n\n- Two.\n'

  test('are the newest section of the changelog', () => {
    expect(notesOf(changelog, '1.1.0')).toBe('### Added\n\n- One.\n')
    expect(notesOf('# Changelog\n\n## 1.0.0\n\n- Two.', '1.0.0')).toBe('- Two.\n')
  })

  test.each([
    ['1.0.0', 'The newest section of CHANGELOG.md is 1.1.0, not 1.0.0.'],
    ['1.1', 'The newest section of CHANGELOG.md is 1.1.0, not 1.1.'],
  ])('are missing for %s', (wanted, words) => {
    expect(() => notesOf(changelog, wanted)).toThrow(words)
  })

  test('are refused if they are empty, or if nothing is unreleased', () => {
    expect(() => notesOf('# Changelog\n\n## 1.1.0\n\n## 1.0.0\n\n- Two.\n', '1.1.0')).toThrow('says nothing')
    expect(withVersion('# Changelog\n\n## Unreleased\n\n- One.\n', '1.2.0')).toBe(
      '# Changelog\n\n## 1.2.0\n\n- One.\n',
    )
    expect(() => withVersion(changelog, '1.2.0')).toThrow('no section')
  })
})

describe('the version of a release', () => {
  const copy = inDirectory('checkout')
  const releases = 'prisma/src/releases.ts'

  test('is raised in every package, the lock, the chart and the examples, and in no sentence about a release', async () => {
    const { stdout } = await run('git', [
      ...[
        '-C',
        rootDirectory,
        'ls-files',
        '*package.json',
        'package-lock.json',
        '*Chart.yaml',
        '*.md',
        'prisma/migrations',
        releases,
      ],
    ])
    for (const file of stdout.trim().split('\n')) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      cpSync(join(rootDirectory, file), join(copy, file))
    }
    expect(versionOf(copy)).toBe(version)
    const changed = raiseVersion(copy, '98.76.5')
    expect(versionOf(copy)).toBe('98.76.5')
    expect(changed).toEqual(
      expect.arrayContaining([
        'package.json',
        'package-lock.json',
        'services/token/package.json',
        'README.md',
      ]),
    )
    const lines = async (file: string) =>
      (
        await run('git', ['diff', '--no-index', '--numstat', join(rootDirectory, file), join(copy, file)])
      ).stdout
        .split('\t')
        .slice(0, 2)
    // A reader of a diff sees one line of each package, and nothing else.
    expect(await lines('services/token/package.json')).toEqual(['1', '1'])
    expect(await lines('deploy/helm/gatehouse/Chart.yaml')).toEqual(['2', '2'])
    expect(await lines(releases)).toEqual(['1', '0'])
    const newest = readdirSync(join(rootDirectory, 'prisma/migrations'))
      .filter((name) => /^\d/.test(name))
      .sort()
      .at(-1)
    expect(readFileSync(join(copy, releases), 'utf8')).toContain(`  ['98.76.5', '${newest}'],\n]`)
    const lock = JSON.parse(readFileSync(join(copy, 'package-lock.json'), 'utf8'))
    expect([lock.version, lock.packages['services/token'].version]).toEqual(['98.76.5', '98.76.5'])
    expect(readFileSync(join(copy, 'README.md'), 'utf8')).toContain('gatehouse:98.76.5')
    expect(readFileSync(join(copy, 'docs/start/design.md'), 'utf8')).not.toContain('98.76.5')
  })

  test('is refused where two files name different ones', () => {
    const path = join(copy, 'services/token/package.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('98.76.5', '1.0.0'))
    expect(() => versionOf(copy)).toThrow(
      'package.json names version 98.76.5, but services/token/package.json 1.0.0.',
    )
  })
})

describe('what is signed', () => {
  test.skipIf(openssl === undefined).each([
    ['ECDSA', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']],
    ['RSA', ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048']],
  ])('is verified by openssl with a key of %s, and not once it is changed', async (kind, argv) => {
    const file = (name: string) => inDirectory(`${kind}-${name}`)
    await run(openssl as string, [...argv, '-out', file('key.pem')])
    const key = readKey(file('key.pem'))
    writeFileSync(file('public.pem'), publicKeyOf(key))
    const verify = async (content: Buffer, signature: Buffer) => {
      writeFileSync(file('content'), content)
      writeFileSync(file('signature'), signature)
      const options = ['-verify', file('public.pem'), '-signature', file('signature'), file('content')]
      return (await run(openssl as string, ['dgst', '-sha256', ...options])).ok
    }
    const sums = Buffer.from('00  a file\n')
    expect(await verify(sums, signatureOf(key, sums))).toBe(true)
    expect(await verify(Buffer.from('01  a file\n'), signatureOf(key, sums))).toBe(false)

    const subject = { name: 'a file', digest: { sha256: '00' } }
    const at = new Date(0)
    const origin = {
      version: '1.0.0',
      commit: 'c0',
      source: 'https://example.com/x',
      startedOn: at,
      finishedOn: at,
    }
    const envelope = JSON.parse(envelopeOf(provenanceOf([subject], { ...origin, materials: [] }), key))
    const payload = Buffer.from(envelope.payload, 'base64')
    const signature = Buffer.from(envelope.signatures[0].sig, 'base64')
    const encoded = `DSSEv1 28 application/vnd.in-toto+json ${payload.length} ${payload}`
    expect(await verify(Buffer.from(encoded), signature)).toBe(true)
    expect(JSON.parse(payload.toString())).toMatchObject({ subject: [subject] })
  })

  test('needs a private key', () => {
    writeFileSync(inDirectory('no-key'), 'no key')
    expect(() => readKey(inDirectory('no-key'))).toThrow('is not a private key in PEM')
  })
})

test('a layout has every blob by its digest, and what refers to an image under the tag of its digest', () => {
  const layout = inDirectory('layout')
  makeLayout(layout)
  const content = Buffer.from('a list')
  const image = addArtifact(layout, '1.0.0', {
    config: emptyConfig,
    layer: { mediaType: 'text/plain', content, title: 'image' },
  })
  const list = addArtifact(layout, '1.0.0-sbom', {
    artifactType: 'application/spdx+json',
    config: emptyConfig,
    layer: { mediaType: 'application/spdx+json', content, title: 'list' },
    subject: image,
  })
  addReferrers(layout, image, [list])
  const tag = image.digest.replace(':', '-')
  expect(tagsOf(layout)).toEqual(['1.0.0', '1.0.0-sbom', tag])
  const read = ({ digest, size }: { digest: string; size: number }) => {
    const blob = readFileSync(join(layout, 'blobs', digest.replace(':', '/')))
    expect([`sha256:${createHash('sha256').update(blob).digest('hex')}`, blob.length]).toEqual([digest, size])
    return blob
  }
  const referrers = JSON.parse(read(tagged(layout, tag)).toString())
  expect(referrers.manifests).toEqual([list])
  const manifest = JSON.parse(read(referrers.manifests[0]).toString())
  expect(manifest).toMatchObject({ artifactType: 'application/spdx+json', subject: image })
  expect(read(manifest.layers[0])).toEqual(content)
  expect(read(manifest.config).toString()).toBe('{}')
})

test.skipIf(helm === undefined)('the chart of a release is what Helm packs, as Helm pushes it', async () => {
  const layout = inDirectory('chart')
  const archive = await makeChart(rootDirectory, directory, layout)
  const blob = (digest: string) => readFileSync(join(layout, 'blobs', digest.replace(':', '/')))
  const manifest = JSON.parse(blob(tagged(layout, version).digest).toString())
  expect(manifest.config.mediaType).toBe('application/vnd.cncf.helm.config.v1+json')
  expect(JSON.parse(blob(manifest.config.digest).toString())).toMatchObject({ name: 'gatehouse', version })
  expect(blob(manifest.layers[0].digest)).toEqual(readFileSync(archive))
  expect((await run(helm as string, ['show', 'chart', archive])).stdout).toContain(`version: ${version}`)
})

test('the package of the command line is installed without any other, and runs', async () => {
  const { archive, bundled } = await makeCommandLine(rootDirectory, directory)
  const place = inDirectory('somewhere')
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{}')
  const installed = await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], {
    cwd: place,
  })
  expect(installed.ok, installed.stderr).toBe(true)
  const env = { PATH: process.env.PATH, HOME: place }
  const gatehouse = (...argv: string[]) =>
    run(process.execPath, [join(place, 'node_modules/@gatehouse/cli/gatehouse.js'), ...argv], {
      cwd: place,
      env,
    })
  expect(await gatehouse('--version')).toMatchObject({ ok: true, stdout: `${version}\n` })
  expect((await gatehouse('clients', '--help')).stdout).toContain('rotate')
  expect((await gatehouse('clients', 'list')).stderr).toContain('No credentials.')
  for (const argv of [['migrate'], ['admin', 'recover', '--yes']])
    expect(await gatehouse(...argv)).toMatchObject({
      ...{ ok: false, stdout: '' },
      stderr: expect.stringContaining('it is not in the npm package. Run it in the image'),
    })
  const licenses = readFileSync(join(place, 'node_modules/@gatehouse/cli/LICENSES.txt'), 'utf8')
  const sbom = JSON.parse(commandLineSbom(version, new Date(0), bundled))
  expect(bundled.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['commander', 'openid-client', 'jose']),
  )
  for (const { name, version } of bundled) {
    expect(licenses).toContain(`${name} ${version} (`)
    expect(sbom.packages).toContainEqual(expect.objectContaining({ name, versionInfo: version }))
  }
})

test('the list of the image has what its processes need on both platforms, and nothing of development', () => {
  const packages = packagesOfImage(rootDirectory)
  const names = packages.map(({ name }) => name)
  const { dependencies } = JSON.parse(
    readFileSync(join(rootDirectory, 'services/gateway/package.json'), 'utf8'),
  )
  expect(names).toEqual(
    expect.arrayContaining([
      ...Object.keys(dependencies),
      ...['pg', 'jose', '@prisma/client', '@node-rs/argon2-linux-x64-gnu', '@node-rs/argon2-linux-arm64-gnu'],
    ]),
  )
  const unwanted =
    /^(@gatehouse\/(test|lab|tools)|vitest|typescript|prisma|react|@prisma\/dev|.*-(darwin|win32|musl).*)$/
  expect(names.filter((name) => unwanted.test(name))).toEqual([])
  expect(packages.filter(({ license }) => license === 'NOASSERTION')).toEqual([])
})
