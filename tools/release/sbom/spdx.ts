/** A package of npm. */
export type NpmPackage = { name: string; version: string; license: string }

/** A package in a list of SPDX 2.3. */
export type SpdxPackage = Record<string, unknown> & { SPDXID: string }

/**
 * Writes a list of packages (SPDX 2.3).
 * @param own what the list describes
 * @param contained the packages that are in it
 */
export function spdxDocument(own: SpdxPackage, created: Date, contained: readonly SpdxPackage[]): string {
  const { name, versionInfo } = own
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${name}@${versionInfo}`,
    documentNamespace: `https://spdx.org/spdxdocs/${String(name).replaceAll(/\W+/g, '-')}-${versionInfo}`,
    creationInfo: {
      created: `${created.toISOString().slice(0, 19)}Z`,
      creators: ['Tool: gatehouse-release'],
    },
    documentDescribes: [own.SPDXID],
    packages: [own, ...contained],
    relationships: contained.map(({ SPDXID }) => ({
      spdxElementId: own.SPDXID,
      relatedSpdxElement: SPDXID,
      relationshipType: 'CONTAINS',
    })),
  }
  return `${JSON.stringify(document, undefined, 1)}\n`
}

/** A package of npm as the list has it. */
export function ofNpm({ name, version, license }: NpmPackage): SpdxPackage {
  return spdxPackage('npm', name, version, license)
}

/**
 * A package as the list has it.
 * @param type its kind in a package URL
 * @param qualifiers those of the package URL, with their `?`
 */
export function spdxPackage(
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
