import { ReleaseFailure } from './shell.ts'

/**
 * The notes of a release.
 * @param changelog the text of CHANGELOG.md
 * @param version the version, such as 1.2.3
 * @returns its section without the heading
 * @throws ReleaseFailure if it has none, or if another one is the newest
 */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m)
  const titles = sections.map((section) => section.slice(0, section.indexOf('\n')).trim())
  const [newest = 'none'] = titles
  if (newest !== version)
    throw new ReleaseFailure(
      `The newest section of CHANGELOG.md is ${newest}, not ${version}. Run npm run release -- prepare ${version}, and commit.`,
    )
  const text = (sections[0] ?? '').slice(newest.length).trim()
  if (text === '') throw new ReleaseFailure(`The section ${version} of CHANGELOG.md says nothing.`)
  return `${text}\n`
}

/**
 * Gives the section "Unreleased" of the changelog its version.
 * @throws ReleaseFailure if there is no such section
 */
export function withVersion(changelog: string, version: string): string {
  if (!/^## Unreleased$/m.test(changelog))
    throw new ReleaseFailure('CHANGELOG.md has no section "## Unreleased".')
  return changelog.replace(/^## Unreleased$/m, `## ${version}`)
}
