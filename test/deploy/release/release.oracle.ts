import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { installPackages, program, run } from '@gatehouse/test/programs/programs'
import { runHere } from '@gatehouse/test/programs/run'
import { filesOf } from '@gatehouse/tools/release/make'
import { publishRelease } from '@gatehouse/tools/release/publish'
import { must } from '@gatehouse/tools/release/shell'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalRegistry, startRegistry } from './registry.ts'

/** A release of this commit in a clone, under a version that no release has, published in a registry of this machine. */
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-published-'))
const inDirectory = (...names: string[]) => join(directory, ...names)
const version = '98.76.5'
const file = filesOf(version)
const folder = inDirectory('release', version)
let registry: LocalRegistry

beforeAll(async () => {
  const packages = ['docker-registry', 'skopeo', 'qemu-user-static', 'openssl']
  if (!(await run('dpkg', ['-s', ...packages])).ok) expect(await installPackages(packages)).toBe(true)
  const clone = inDirectory('clone')
  const git = (...argv: string[]) => must('git', ['-C', clone, ...argv])
  await must('git', ['clone', '--quiet', rootDirectory, clone])
  await must('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: clone })
  const release = (...argv: string[]) =>
    runHere('npm', ['run', '--silent', 'release', '--', ...argv], { cwd: clone })
  const changelog = join(clone, 'CHANGELOG.md')
  if (!readFileSync(changelog, 'utf8').includes('## Unreleased'))
    writeFileSync(
      changelog,
      readFileSync(changelog, 'utf8').replace('## ', '## Unreleased\n\n- A trial.\n\n## '),
    )
  expect(await release('prepare', version)).toBe(0)
  await git(
    '-c',
    'user.name=trial',
    '-c',
    'user.email=trial@example.com',
    'commit',
    '--quiet',
    '--all',
    '-m',
    'trial',
  )
  await git('config', 'user.name', 'trial')
  await git('config', 'user.email', 'trial@example.com')
  await must('openssl', [
    'ecparam',
    '-genkey',
    '-name',
    'prime256v1',
    '-noout',
    '-out',
    inDirectory('key.pem'),
  ])
  const options = ['--key', inDirectory('key.pem'), '--source', 'https://example.com/gatehouse']
  expect(await release('make', ...options, '--output', inDirectory('release'))).toBe(0)
  expect(await git('tag', '--points-at', 'HEAD')).toBe(`v${version}`)
  registry = await startRegistry()
  await publishRelease({ folder, version, registry: registry.address, plainHttp: true })
}, 3_600_000)
afterAll(async () => {
  await registry?.server.close()
  rmSync(directory, { recursive: true, force: true })
})

test('its sums are signed by the key', async () => {
  await must('sha256sum', ['--check', '--strict', '--quiet', file.checksums], { cwd: folder })
  const signature = ['-verify', file.key, '-signature', file.signature, file.checksums]
  await must('openssl', ['dgst', '-sha256', ...signature], { cwd: folder })
  expect(readFileSync(join(folder, file.notes), 'utf8')).not.toContain('## Unreleased')
})

test('a changed file is not published', async () => {
  const changed = inDirectory('changed')
  await must('cp', ['-r', folder, changed])
  writeFileSync(join(changed, file.chart), 'another chart')
  await expect(
    publishRelease({ folder: changed, version, registry: registry.address, plainHttp: true }),
  ).rejects.toThrow('sha256sum')
})

test('the registry has the image for both platforms, and what refers to it', async () => {
  const inspect = async (tag: string) =>
    JSON.parse(
      await must('skopeo', [
        'inspect',
        '--raw',
        '--tls-verify=false',
        `docker://${registry.address}/gatehouse${tag}`,
      ]),
    )
  const index = await inspect(`:${version}`)
  expect(
    index.manifests.map(({ platform }: { platform: { architecture: string } }) => platform.architecture),
  ).toEqual(['amd64', 'arm64'])
  const digest = JSON.parse(readFileSync(join(folder, file.provenance), 'utf8'))
  const statement = JSON.parse(Buffer.from(digest.payload, 'base64').toString())
  const { sha256 } = statement.subject[0].digest
  const referrers = await inspect(`:sha256-${sha256}`)
  const subject = { digest: `sha256:${sha256}` }
  const [list, origin] = referrers.manifests
  expect(await inspect(`@${list.digest}`)).toMatchObject({ artifactType: 'application/spdx+json', subject })
  expect(await inspect(`@${origin.digest}`)).toMatchObject({
    artifactType: 'application/vnd.in-toto+json',
    subject,
  })
  const facts = JSON.parse(
    await must('skopeo', [
      'inspect',
      '--config',
      '--tls-verify=false',
      `docker://${registry.address}/gatehouse:${version}`,
    ]),
  )
  expect(facts.config).toMatchObject({
    User: '65532:65532',
    Labels: { 'org.opencontainers.image.version': version },
  })
})

test('Helm pulls the chart from the registry, as it was made', async () => {
  const helm = (await program('helm')) as string
  const chart = `oci://${registry.address}/charts/gatehouse`
  await must(helm, ['pull', chart, '--version', version, '--plain-http', '--destination', directory])
  expect(readFileSync(inDirectory(file.chart))).toEqual(readFileSync(join(folder, file.chart)))
})

test.each([
  ['amd64', 'x64', undefined],
  ['arm64', 'arm64', 'qemu-aarch64-static'],
])(
  'the image for %s starts, and has its own native parts',
  async (architecture, cpu, emulator) => {
    const root = inDirectory(architecture)
    const archive = inDirectory(`${architecture}.tar`)
    mkdirSync(root)
    const from = `docker://${registry.address}/gatehouse:${version}`
    const options = ['--src-tls-verify=false', '--override-arch', architecture, '--override-os', 'linux']
    await must('skopeo', ['copy', '--quiet', ...options, from, `oci:${archive}:it`])
    const [{ digest }] = JSON.parse(readFileSync(join(archive, 'index.json'), 'utf8')).manifests
    const blob = (digest: string) => join(archive, 'blobs', digest.replace(':', '/'))
    for (const layer of JSON.parse(readFileSync(blob(digest), 'utf8')).layers)
      await must('tar', ['-xf', blob(layer.digest), '-C', root])
    const node = join(root, 'usr/local/bin/node')
    const start = emulator ? [emulator, ['-L', root, node]] : ['chroot', [root, '/usr/local/bin/node']]
    const [path, first] = start as [string, string[]]
    const inRoot = (name: string) => (emulator ? join(root, name) : name)
    const commandLine = await must(path, [...first, inRoot('/gatehouse/deploy/cli/src/main.ts'), '--version'])
    expect(commandLine).toBe(version)
    const identity = JSON.stringify(inRoot('/gatehouse/services/identity/package.json'))
    const hash = `require('node:module').createRequire(${identity})('@node-rs/argon2').hash('x').then(console.log)`
    expect(await must(path, [...first, '--eval', hash])).toContain('$argon2id$')
    const native = globSync('*', { cwd: join(root, 'gatehouse/node_modules/@node-rs') })
    const names = native
      .filter((name) => !name.includes('-'))
      .flatMap((name) => [name, `${name}-linux-${cpu}-gnu`])
    expect(names).toContain('argon2')
    expect(native.sort()).toEqual(names.sort())
    expect(existsSync(join(root, 'bin/sh'))).toBe(false)
    const trusted = readFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8').split(
      'BEGIN CERTIFICATE',
    )
    expect(trusted.length - 1).toBe(globSync('usr/share/ca-certificates/**/*.crt', { cwd: root }).length)
    const scanned = globSync('var/lib/dpkg/status.d/*', { cwd: root }).map((name) => name.split('/').at(-1))
    const { packages } = JSON.parse(readFileSync(join(folder, file.imageSbom), 'utf8')) as {
      packages: { name: string }[]
    }
    expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining([...scanned, 'node', 'fastify']))
  },
  600_000,
)
