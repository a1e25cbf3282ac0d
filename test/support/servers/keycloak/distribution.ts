import { join } from 'node:path'
import { buildInCache } from '../../programs/cached-build.ts'
import { programCache } from '../../programs/program-cache.ts'
import { program } from '../../programs/programs.ts'

/** The version of Keycloak that tests and benchmarks start. */
export const keycloakVersion = '26.7.3'

/**
 * Finds Keycloak, with its build for PostgreSQL; what is missing is installed (see `program`) or fetched with Maven, once.
 * @returns the directory of the distribution; undefined, with a line that says so, when the tests that need it are to be skipped
 * @throws Error when it is missing although nothing may be skipped (GATEHOUSE_TEST_FORBID_SKIP)
 */
export async function keycloakDistribution(): Promise<string | undefined> {
  const java = await program('java')
  if (java === undefined) return undefined
  const directory = join(programCache, 'keycloak', `${keycloakVersion}-postgres`)
  const unpacked = `keycloak-${keycloakVersion}`
  const built = await buildInCache(`Keycloak ${keycloakVersion}`, directory, async (draft) => {
    const [maven, unzip] = [await program('mvn'), await program('unzip')]
    if (maven === undefined || unzip === undefined) return undefined
    const archive = join(draft, `keycloak-quarkus-dist-${keycloakVersion}.zip`)
    const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${keycloakVersion}:zip`
    const build = ['build', '--db=postgres', '--cache=local', '--health-enabled=true']
    return [
      [maven, ['-B', '-q', 'dependency:copy', artifact, `-DoutputDirectory=${draft}`]],
      [unzip, ['-q', archive, '-d', draft]],
      ['rm', [archive]],
      [join(draft, unpacked, 'bin', 'kc.sh'), build],
    ]
  })
  return built ? join(directory, unpacked) : undefined
}
