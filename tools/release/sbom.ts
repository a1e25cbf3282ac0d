import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DebianPackage, debianPackages, type Platform, platforms } from './base-images.ts'
import type { Bundled } from './command-line.ts'
import { must } from './shell.ts'

/** The workspaces whose packages are in the image, as in the Dockerfile. */
const inImage = ['gateway', 'token', 'client-registry', 'identity', 'events', 'cli']

type SpdxPackage = Record<string, unknown> & { SPDXID: string }
type SpdxDocument = {
  documentDescribes: string[]
  packages: SpdxPackage[]
  relationships: { spdxElementId: string; relatedSpdxElement: string; relationshipType: string }[]
}

/** The packages of npm, of Debian and Node.js that the image has (SPDX 2.3). */
export async function imageSbom(root: string): Promise<string> {
  const workspaces = inImage.flatMap((name) => ['-w', `@gatehouse/${name}`])
  const options = [
    '--package-lock-only',
    '--omit=dev',
    '--omit=optional',
    '--sbom-format=spdx',
    '--loglevel=error',
  ]
  const document = JSON.parse(
    await must('npm', ['sbom', ...options, ...workspaces], { cwd: root }),
  ) as SpdxDocument
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const debian = await Promise.all((Object.keys(platforms) as Platform[]).map(debianPackages))
  const added = [spdxPackage('generic', 'node', devDependencies.node), ...debian.flat().map(ofDebian)]
  return written(document, added)
}

/** The packages whose code is in the package of the command line (SPDX 2.3). */
export function commandLineSbom(version: string, created: Date, bundled: readonly Bundled[]): string {
  const own = spdxPackage('npm', '@gatehouse/cli', version, 'Apache-2.0')
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `@gatehouse/cli@${version}`,
    documentNamespace: `https://spdx.org/spdxdocs/gatehouse-cli-${version}`,
    creationInfo: {
      created: `${created.toISOString().slice(0, 19)}Z`,
      creators: ['Tool: gatehouse-release'],
    },
    documentDescribes: [own.SPDXID],
    packages: [own],
    relationships: [],
  }
  return written(
    document,
    bundled.map(({ name, version, license }) => spdxPackage('npm', name, version, license)),
  )
}

/** The document with further packages, which what it describes contains. */
function written(document: SpdxDocument, added: readonly SpdxPackage[]): string {
  const [described = ''] = document.documentDescribes
  document.packages.push(...added)
  for (const { SPDXID } of added)
    document.relationships.push({
      spdxElementId: described,
      relatedSpdxElement: SPDXID,
      relationshipType: 'CONTAINS',
    })
  return `${JSON.stringify(document, undefined, 1)}\n`
}

function ofDebian({ name, version, platform }: DebianPackage): SpdxPackage {
  return spdxPackage('deb/debian', name, version, 'NOASSERTION', `?arch=${platform}&distro=bookworm`)
}

function spdxPackage(
  type: string,
  name: string,
  version: string,
  license = 'NOASSERTION',
  qualifiers = '',
): SpdxPackage {
  const locator = `pkg:${type}/${name.replace('@', '%40')}@${encodeURIComponent(version)}${qualifiers}`
  return {
    name,
    SPDXID: `SPDXRef-${`${type}-${name}-${version}${qualifiers}`.replaceAll(/[^\w.-]+/g, '-')}`,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseDeclared: license,
    externalRefs: [
      { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: locator },
    ],
  }
}
