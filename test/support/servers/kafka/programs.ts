import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildInCache, type Step } from '../../programs/cached-build.ts'
import { programCache } from '../../programs/program-cache.ts'
import { program } from '../../programs/programs.ts'

/** The files with which a broker is started. */
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
  const built = await buildInCache('Apache Kafka', directory, async (draft) => {
    const maven = await program('mvn')
    return maven === undefined ? undefined : stepsIn(draft, { java, maven, pom })
  })
  return built ? programs : undefined
}

/** The steps that put Kafka, a key and its certificate into a directory. */
function stepsIn(draft: string, { java, maven, pom }: { java: string; maven: string; pom: string }): Step[] {
  const keyTool = join(dirname(java), 'keytool')
  const store = ['-keystore', join(draft, 'key.p12'), '-storepass', keyStorePassword, '-alias', 'broker']
  return [
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
}
