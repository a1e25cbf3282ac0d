import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A descriptor of OCI's image specification. */
export type Descriptor = {
  mediaType: string
  digest: string
  size: number
  artifactType?: string
  annotations?: Record<string, string>
}

/** An artifact of a registry: its content, and the manifest that it is about. */
export type Artifact = {
  artifactType?: string
  config: { mediaType: string; content: string }
  layer: { mediaType: string; content: Buffer; title: string }
  subject?: Descriptor
  annotations?: Record<string, string>
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'
const nameAnnotation = 'org.opencontainers.image.ref.name'

/** The empty config of an artifact that has none (OCI image specification 1.1, "Guidance for an empty descriptor"). */
export const emptyConfig = { mediaType: 'application/vnd.oci.empty.v1+json', content: '{}' }

type Index = { schemaVersion: 2; mediaType?: string; manifests: Descriptor[] }

/** Makes a directory an empty OCI image layout, whatever was in it. */
export function makeLayout(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(join(directory, 'blobs/sha256'), { recursive: true })
  writeFileSync(join(directory, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  writeIndex(directory, { schemaVersion: 2, manifests: [] })
}

/** The descriptor of what has a tag in a layout. */
export function tagged(directory: string, tag: string): Descriptor {
  const found = readIndex(directory).manifests.find(
    ({ annotations }) => annotations?.[nameAnnotation] === tag,
  )
  if (!found) throw new Error(`${directory} has no ${tag}`)
  return found
}

/** The tags of a layout. */
export function tagsOf(directory: string): string[] {
  return readIndex(directory).manifests.flatMap(({ annotations }) => annotations?.[nameAnnotation] ?? [])
}

/**
 * Adds an artifact to a layout under a tag.
 * @returns the descriptor of its manifest
 */
export function addArtifact(directory: string, tag: string, artifact: Artifact): Descriptor {
  const { artifactType, config, layer, subject, annotations } = artifact
  const manifest = {
    schemaVersion: 2,
    mediaType: manifestType,
    artifactType,
    config: blob(directory, config.mediaType, Buffer.from(config.content)),
    layers: [
      {
        ...blob(directory, layer.mediaType, layer.content),
        annotations: { 'org.opencontainers.image.title': layer.title },
      },
    ],
    subject,
    annotations,
  }
  const descriptor = blob(directory, manifestType, Buffer.from(JSON.stringify(manifest)))
  addTag(directory, tag, descriptor)
  return { ...descriptor, ...(artifactType && { artifactType }) }
}

/**
 * Adds what refers to a manifest, for registries without the referrers API: an index under the tag that stands for the manifest
 * (OCI distribution specification 1.1, "Referrers tag schema").
 */
export function addReferrers(directory: string, subject: Descriptor, referrers: readonly Descriptor[]): void {
  const index = { schemaVersion: 2, mediaType: indexType, manifests: referrers }
  const descriptor = blob(directory, indexType, Buffer.from(JSON.stringify(index)))
  addTag(directory, subject.digest.replace(':', '-'), descriptor)
}

function addTag(directory: string, tag: string, descriptor: Descriptor): void {
  const index = readIndex(directory)
  index.manifests.push({ ...descriptor, annotations: { [nameAnnotation]: tag } })
  writeIndex(directory, index)
}

function blob(directory: string, mediaType: string, content: Buffer): Descriptor {
  const hash = createHash('sha256').update(content).digest('hex')
  writeFileSync(join(directory, 'blobs/sha256', hash), content)
  return { mediaType, digest: `sha256:${hash}`, size: content.length }
}

function readIndex(directory: string): Index {
  return JSON.parse(readFileSync(join(directory, 'index.json'), 'utf8')) as Index
}

function writeIndex(directory: string, index: Index): void {
  writeFileSync(join(directory, 'index.json'), JSON.stringify(index))
}
