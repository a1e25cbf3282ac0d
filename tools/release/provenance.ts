/** A file or image by its digest. */
export type Subject = { name: string; digest: { sha256: string } }

/** The origin of a release. */
export type Origin = {
  version: string
  commit: string
  /** Where the source is, as package.json names it. */
  source: string
  startedOn: Date
  finishedOn: Date
  /** The packages that were fetched to make it, by their URL (purl), with their digests where they are known. */
  materials: { uri: string; digest?: Record<string, string> }[]
}

/** The provenance of a release: an in-toto statement (version 1) with SLSA's predicate (version 1). */
export function provenanceOf(subjects: readonly Subject[], origin: Origin): unknown {
  const { version, commit, source, startedOn, finishedOn, materials } = origin
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${source}/blob/v${version}/CONTRIBUTING.md#release`,
        externalParameters: { version },
        resolvedDependencies: [
          { uri: `git+${source}@v${version}`, digest: { gitCommit: commit } },
          ...materials,
        ],
      },
      runDetails: {
        builder: { id: `${source}/blob/v${version}/tools/release` },
        metadata: { startedOn: startedOn.toISOString(), finishedOn: finishedOn.toISOString() },
      },
    },
  }
}
