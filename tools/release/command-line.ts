import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import type { NpmPackage } from './sbom/spdx.ts'
import { must } from './shell.ts'

/** The modules of the server that the command line imports only to work on the database. */
const ofTheServer = /^@gatehouse\/(identity|prisma)\//

/**
 * Stands for such a module in the package: whoever has the database has the image, too.
 * @param id the module, by the name with which it is imported
 */
function onlyInTheImage(root: string, id: string): string {
  const path = id
    .replace('@gatehouse/identity/', 'services/identity/src/')
    .replace('@gatehouse/prisma/', 'prisma/src/')
  const exported = readFileSync(join(root, `${path}.ts`), 'utf8').matchAll(
    /^export (?:async )?(?:function|const) (\w+)/gm,
  )
  return `
function refuse() {
  throw new Error('This works on the database itself, so it is not in the npm package. Run it in the image: kubectl exec deploy/gatehouse-identity -- gatehouse …')
}
export { ${[...exported].map(([, name]) => `refuse as ${name}`).join(', ')} }
`
}

const readme = `# gatehouse

The command line of Gatehouse, an OAuth 2.0 authorization server: it administers clients, resource servers, users and tokens of a
server, wherever that runs. It is of the server's version.

\`\`\`sh
npm install --global @gatehouse/cli
export GATEHOUSE_URL=https://login.example.com
gatehouse login
gatehouse clients list
\`\`\`

\`gatehouse --help\` lists all commands. The server has the documentation at \`/docs\`: "The command line".
`

/**
 * Makes the command line a package of npm: one file, with the code of all that it imports.
 * @param root a checkout with its dependencies
 * @param directory where the archive is written
 * @returns the path of the archive, and the packages whose code is in it
 */
export async function makeCommandLine(
  root: string,
  directory: string,
): Promise<{ archive: string; bundled: NpmPackage[] }> {
  const source = JSON.parse(readFileSync(join(root, 'deploy/cli/package.json'), 'utf8'))
  const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const place = join(directory, 'command-line')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  const { output } = await build({
    input: join(root, 'deploy/cli/src/main.ts'),
    platform: 'node',
    cwd: root,
    logLevel: 'warn',
    output: { dir: place, entryFileNames: 'gatehouse.js', codeSplitting: false },
    plugins: [
      {
        name: 'of-the-release',
        resolveId: (id) =>
          id === '@gatehouse/kit/release' || ofTheServer.test(id) ? { id: `\0${id}` } : undefined,
        load: (id) => {
          if (id === '\0@gatehouse/kit/release') return `export const version = ${JSON.stringify(version)}`
          return ofTheServer.test(id.slice(1)) ? onlyInTheImage(root, id.slice(1)) : undefined
        },
      },
    ],
  })
  const bundled = packagesIn(
    root,
    output.flatMap((chunk) => ('moduleIds' in chunk ? chunk.moduleIds : [])),
  )
  const manifest = {
    name: source.name,
    version,
    description: 'The command line of Gatehouse, an OAuth 2.0 authorization server',
    license,
    type: 'module',
    engines,
    bin: { gatehouse: 'gatehouse.js' },
    files: ['gatehouse.js', 'LICENSES.txt'],
  }
  writeFileSync(join(place, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  writeFileSync(join(place, 'README.md'), readme)
  writeFileSync(join(place, 'LICENSE'), readFileSync(join(root, 'LICENSE')))
  writeFileSync(join(place, 'LICENSES.txt'), licensesOf(root, bundled))
  const name = await must('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: place })
  return { archive: join(directory, name), bundled }
}

/** The packages of node_modules that modules belong to. */
function packagesIn(root: string, moduleIds: readonly string[]): NpmPackage[] {
  const places = moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? [])
  return [...new Set(places)]
    .map((place) => {
      const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
      return { name, version, license } as NpmPackage
    })
    .filter(({ name }) => existsSync(join(root, 'node_modules', name)))
    .sort((one, other) => one.name.localeCompare(other.name))
}

/** The licenses of packages, one text after another. */
function licensesOf(root: string, bundled: readonly NpmPackage[]): string {
  return bundled
    .map(({ name, version, license }) => {
      const place = join(root, 'node_modules', name)
      const file = readdirSync(place).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry))
      const text = file ? readFileSync(join(place, file), 'utf8').trim() : `License: ${license}`
      return `${name} ${version} (${license})\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
