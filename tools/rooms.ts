import { dirname, join, relative } from 'node:path'
import { gitFiles, textOf } from '@gatehouse/test/repository'

// Holds the form of the house: no folder with too many loose files, no file that is too long, and in each package no two
// rooms that import each other, not even types, so that a room can be read without those that stand on it.

const mostFiles = 25
const mostLines = 300
/** Generated files that may be longer. */
const generated = ['proto/variable-names.ts', 'services/gateway/src/people/texts/table.ts']

/** A file that people write, as git lists it, and its text. */
type Source = { path: string; text: string }

const patterns = ['ts', 'tsx', 'eta', 'css', 'js', 'md', 'sql', 'proto'].map((end) => `**/*.${end}`)
const sources: Source[] = gitFiles('ls-files', patterns).flatMap((path) => {
  // A file that was deleted is known to git until that is committed.
  const text = textOf(path)
  return text === undefined ? [] : [{ path, text }]
})

/** A sentence for each folder that has too many loose files. */
function crowdedFolders(): string[] {
  const folders = Map.groupBy(sources, ({ path }) => dirname(path))
  return [...folders]
    .filter(([, files]) => files.length > mostFiles)
    .map(
      ([folder, files]) =>
        `${folder} has ${files.length} loose files, more than ${mostFiles}: give them rooms`,
    )
}

/** A sentence for each file of code that is too long. */
function longFiles(): string[] {
  return sources
    .filter(({ path }) => /\.tsx?$/.test(path) && !generated.includes(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > mostLines)
    .map(({ path, lines }) => `${path} has ${lines} lines, more than ${mostLines}: it does two things`)
}

/** The room of a file of a package: its first folder below src. The files directly in src wire the others, so they are in none. */
function roomOf(path: string): string | undefined {
  const [, room] = /^services\/[^/]+\/src\/([^/]+)\//.exec(path) ?? []
  return room
}

/** The files of the same package that a file imports. */
function importsOf({ path, text }: Source): string[] {
  const specifiers = text.matchAll(
    /^(?:import|export)[^;'"]*?from '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm,
  )
  return [...specifiers].map(([, from, alone, later]) => join(dirname(path), from ?? alone ?? later ?? ''))
}

/** A sentence for each knot of a package: rooms that import each other, directly or over others. */
function knots(name: string): string[] {
  const arrows = new Map<string, Map<string, string>>()
  for (const source of sources) {
    const from = source.path.startsWith(`services/${name}/`) ? roomOf(source.path) : undefined
    if (from === undefined) continue
    for (const imported of importsOf(source)) {
      const to = roomOf(imported)
      if (to === undefined || to === from) continue
      const targets = arrows.get(from) ?? new Map<string, string>()
      if (!targets.has(to))
        targets.set(to, `${source.path} imports ${relative(dirname(source.path), imported)}`)
      arrows.set(from, targets)
    }
  }
  const reach = (start: string, seen = new Set<string>()): Set<string> => {
    for (const next of arrows.get(start)?.keys() ?? []) if (!seen.has(next)) reach(next, seen.add(next))
    return seen
  }
  return [...arrows].flatMap(([from, targets]) =>
    [...targets]
      .filter(([to]) => reach(to).has(from))
      .map(
        ([to, example]) =>
          `services/${name}: the room ${from} imports ${to}, which leads back to it: ${example}`,
      ),
  )
}

const packages = new Set(sources.flatMap(({ path }) => /^services\/([^/]+)\//.exec(path)?.[1] ?? []))
const found = [...crowdedFolders(), ...longFiles(), ...[...packages].flatMap(knots)]
for (const sentence of found) console.error(sentence)
if (found.length > 0) process.exitCode = 1
