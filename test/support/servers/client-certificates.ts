import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../programs/programs.ts'

/** A certificate and its key, in files and as texts (PEM). */
export type MadeCertificate = { cert: string; key: string; certFile: string; keyFile: string; der: Buffer }

/** The wish for a certificate. */
export type WantedCertificate = {
  /** As openssl writes it, such as `/O=Acme/CN=app`; by default `/CN=client`. */
  subject?: string
  /** Lines of a file of extensions, such as `subjectAltName=DNS:app.example.com`; by default none. */
  extensions?: readonly string[]
  /** The authority that signs it; by default it signs itself. */
  by?: MadeCertificate | undefined
  /** How many days it is valid; negative: it has expired. */
  days?: number
  /** The arguments of openssl that make its key; by default one of P-256. */
  key?: readonly string[]
  /** More arguments of openssl, such as for the algorithm of the signature. */
  more?: readonly string[]
}

/** The extensions of an authority. */
export const ofAuthority = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign'] as const

/** Makes certificates of every kind by openssl. */
export type CertificateMaker = {
  make(wanted?: WantedCertificate): Promise<MadeCertificate>
  /** Writes a file, and gives its path. */
  write(name: string, content: string): Promise<string>
  /** Deletes all files. */
  remove(): Promise<void>
}

/** Opens a maker of certificates. @param openssl the path of the program openssl */
export async function openCertificateMaker(openssl: string): Promise<CertificateMaker> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-client-certificates-'))
  const file = (name: string) => join(directory, name)
  const call = async (...argv: string[]) => {
    const { ok, stderr } = await run(openssl, argv)
    if (!ok) throw new Error(`openssl failed: ${stderr}`)
  }
  let made = 0
  return {
    async make({ subject = '/CN=client', extensions = [], by, days = 2, key, more = [] } = {}) {
      made += 1
      const [certFile, keyFile, csr, conf] = ['crt', 'key', 'csr', 'cnf'].map((one) => file(`${made}.${one}`))
      if (!certFile || !keyFile || !csr || !conf) throw new Error('no names')
      await writeFile(conf, `[all]\n${extensions.join('\n')}\n`)
      const algorithm = key ?? ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']
      await call('genpkey', ...algorithm, '-out', keyFile)
      await call('req', '-new', '-utf8', '-key', keyFile, '-subj', subject, '-out', csr)
      const signed = by ? ['-CA', by.certFile, '-CAkey', by.keyFile] : ['-key', keyFile]
      const extended = extensions.length > 0 ? ['-extfile', conf, '-extensions', 'all'] : []
      const how = ['-days', String(days), ...extended, ...more]
      await call('x509', '-req', '-in', csr, ...signed, ...how, '-out', certFile)
      const cert = await readFile(certFile, 'utf8')
      const base64 = cert.replace(/-----[^-]+-----|\s/g, '')
      const der = Buffer.from(base64, 'base64')
      return { cert, key: await readFile(keyFile, 'utf8'), certFile, keyFile, der }
    },
    async write(name, content) {
      await writeFile(file(name), content)
      return file(name)
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
