import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { programCache } from '../program-cache.ts'
import { program, run } from '../programs.ts'

/** What a broker is started with. */
export type KafkaPrograms = {
  java: string
  /** The class path: Apache Kafka, as the pom.xml says. */
  classPath: string
  /** A key with its certificate for localhost and 127.0.0.1 (PKCS #12). */
  keyStore: string
  /** The certificate alone (PEM). */
  certificate: string
}

/** The password of the key store, which keeps nothing secret. */
export const keyStorePassword = 'tests-only'

/**
 * Finds Java and Apache Kafka; what is missing is installed (see `program`) or fetched with Maven, once for each pom.xml.
 * @returns undefined, with a line that says so, when the tests that need it are to be skipped
 * @throws Error when it is missing although nothing may be skipped (GATEHOUSE_TEST_FORBID_SKIP)
 */
export async function kafkaPrograms(): Promise<KafkaPrograms | undefined> {
  const java = await program('java')
  if (java === undefined) return undefined
  const pom = join(import.meta.dirname, 'pom.xml')
  const digest = hash('sha256', readFileSync(pom)).slice(0, 12)
  const directory = join(programCache, 'kafka', digest)
  const programs = {
    java,
    classPath: join(directory, 'jars', '*'),
    keyStore: join(directory, 'key.p12'),
    certificate: join(directory, 'certificate.pem'),
  }
  if (existsSync(directory)) return programs
  const maven = await program('mvn')
  if (maven === undefined) return undefined
  const failure = await fetchInto(directory, { java, maven, pom })
  if (failure === undefined) return programs
  const line = `Apache Kafka cannot be fetched: ${failure}`
  if (process.env.GATEHOUSE_TEST_FORBID_SKIP) throw new Error(line)
  console.log(`${line}: its tests are skipped.`)
  return undefined
}

/** @returns what went wrong, if anything did; then the directory is not there */
async function fetchInto(
  directory: string,
  { java, maven, pom }: { java: string; maven: string; pom: string },
): Promise<string | undefined> {
  const draft = `${directory}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  const keyTool = join(dirname(java), 'keytool')
  const store = ['-keystore', join(draft, 'key.p12'), '-storepass', keyStorePassword, '-alias', 'broker']
  const steps: [string, string[]][] = [
    [
      maven,
      ['-B', '-q', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${join(draft, 'jars')}`],
    ],
    [
      keyTool,
      [
        ...['-genkeypair', '-keyalg', 'EC', '-validity', '36500', '-storetype', 'PKCS12', ...store],
        ...['-dname', 'CN=localhost', '-ext', 'san=dns:localhost,ip:127.0.0.1'],
      ],
    ],
    [keyTool, ['-exportcert', '-rfc', '-file', join(draft, 'certificate.pem'), ...store]],
  ]
  try {
    for (const [path, argv] of steps) {
      const { ok, stdout, stderr } = await run(path, argv)
      if (!ok) return (stdout.trim() || stderr.trim()).split('\n')[0]
    }
    if (!existsSync(directory)) renameSync(draft, directory)
    return undefined
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
