import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nodeFlags, serviceNames } from '@gatehouse/local/services'
import { run } from '@gatehouse/test/programs/programs'
import { repository } from '@gatehouse/test/servers/prometheus'
import { afterAll, expect, test } from 'vitest'
import { pageAt } from '../../docs/.vitepress/pages.ts'
import { copyDeployment } from './compose-file.ts'

/** Has the entry point of the image, and programs that only say how they were started. */
const copy = copyDeployment()
afterAll(() => rmSync(copy, { recursive: true, force: true }))

test('the image starts each process as npm start does, in its own directory and without a shell', async () => {
  const entrypoint = join(copy, 'deploy/docker/entrypoint.ts')
  const start = (...argv: string[]) => run(process.execPath, [entrypoint, ...argv], { env: { PATH: '' } })
  // A program that says on standard output how it was started.
  const stub = (path: string) => {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    writeFileSync(
      join(copy, path),
      'console.log(process.cwd(), process.execArgv.join(), process.argv.length)',
    )
  }
  for (const name of serviceNames) {
    stub(`services/${name}/src/main.ts`)
    expect(await start(name)).toEqual({
      ok: true,
      stdout: `${copy} ${nodeFlags[name].join()} 2\n`,
      stderr: '',
    })
    expect(existsSync(join(repository, 'services', name, 'src/main.ts'))).toBe(true)
  }
  for (const name of ['migrate', 'wait-for-migrations']) {
    const path = `prisma/src/${name}-command.ts`
    stub(path)
    expect(await start(name)).toMatchObject({ ok: true, stdout: `${copy}  2\n` })
    expect(existsSync(join(repository, path))).toBe(true)
  }
  const recovery = 'services/identity/src/recover-administrator-command.ts'
  stub(recovery)
  expect(await start('recover-administrator', 'ann')).toMatchObject({ ok: true, stdout: `${copy}  3\n` })
  expect(existsSync(join(repository, recovery))).toBe(true)
  // The command line reads and writes files where it is called.
  stub('deploy/cli/src/main.ts')
  const called = await run(process.execPath, [entrypoint, 'cli', 'status'], { cwd: '/', env: { PATH: '' } })
  expect(called).toEqual({ ok: true, stdout: '/  3\n', stderr: '' })
  expect(existsSync(join(repository, 'deploy/cli/src/main.ts'))).toBe(true)
  for (const argv of [['../../etc'], ['constructor'], []])
    expect(await start(...argv)).toMatchObject({
      ...{ ok: false, stdout: '' },
      stderr: expect.stringContaining('usage: one of gateway, token'),
    })
})

test('the image is built with every page of the documentation that a page has a link to', () => {
  const dockerfile = readFileSync(join(repository, 'deploy/docker/Dockerfile'), 'utf8')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  const pages = globSync(['docs/**/*.md', '*.md', 'deploy/helm/**/*.md'], { cwd: repository })
  expect(pages.length).toBeGreaterThan(40)
  const missing = pages.flatMap((page) => {
    const text = readFileSync(join(repository, page), 'utf8')
    return [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)]
      .map(([, link = '']) => join(dirname(page), link))
      .filter((path) => pageAt(path))
      .filter((path) => !copied.some((source) => path === source || path.startsWith(`${source}/`)))
      .map((path) => `${page} has a link to ${path}, which the Dockerfile does not copy`)
  })
  expect(missing).toEqual([])
})

test('the image is built from existing files, with the Node.js of the tests, and does not run as root', () => {
  const dockerfile = readFileSync(join(repository, 'deploy/docker/Dockerfile'), 'utf8')
  const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  expect(sources.length).toBeGreaterThan(10)
  for (const source of sources) expect(existsSync(join(repository, source)), source).toBe(true)
  const { workspaces, devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  // npm installs nothing when one of the workspaces is missing.
  for (const directory of globSync(workspaces, { cwd: repository })) {
    const copied = sources.includes(directory) || sources.includes(`${directory}/package.json`)
    expect(copied, directory).toBe(true)
  }
  expect(dockerfile).toContain(`node:${devDependencies.node}-`)
  // For kubectl exec, which does not use the entry point; the image has no env, so its Node.js is named.
  expect(dockerfile).toMatch(/^COPY deploy\/docker\/gatehouse \/usr\/local\/bin\/gatehouse$/m)
  const commandLine = join(repository, 'deploy/docker/gatehouse')
  expect(statSync(commandLine).mode & 0o111).toBe(0o111)
  expect(readFileSync(commandLine, 'utf8')).toMatch(/^#!\/usr\/local\/bin\/node\n/)
  expect(dockerfile).toMatch(/^USER 65532:65532$/m)
  expect(dockerfile).toMatch(
    /^ENTRYPOINT \["\/usr\/local\/bin\/node", "\/gatehouse\/deploy\/docker\/entrypoint.ts"\]$/m,
  )
})
