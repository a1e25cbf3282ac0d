import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { ConfigurationError } from '../config/configuration-error.ts'

/** A certificate with its chain, and its private key. */
export type KeyPair = {
  /** PEM. */
  cert: Buffer
  /** PEM. */
  key: Buffer
  expiresAt: Date
  /** The facts about the certificate for a log. */
  shown: { expiresAt: Date; names: string; fingerprint: string }
}

/**
 * Checks a certificate and its key, as a server or a client shows them.
 * @param contents of the files, by the variables that name them
 * @param certName the variable of the certificate (PEM), followed by those between it and its authority
 * @param keyName the variable of the private key (PEM)
 * @throws ConfigurationError in one sentence, without any part of the key
 */
export function readKeyPair<Name extends string>(
  contents: Readonly<Record<Name, Buffer>>,
  certName: Name,
  keyName: Name,
): KeyPair {
  const { [certName]: cert, [keyName]: key } = contents
  const certificate = readCertificate(certName, cert)
  const expiresAt = new Date(certificate.validTo)
  if (expiresAt.getTime() <= Date.now())
    throw new ConfigurationError(`${certName} expired at ${expiresAt.toISOString()}: renew it and its key`)
  if (!certificate.checkPrivateKey(readKey(keyName, key)))
    throw new ConfigurationError(
      `${keyName} must be the private key (PEM) of the certificate in ${certName}, of the first one if it holds several`,
    )
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new ConfigurationError(`${certName} and ${keyName} cannot be used: ${(error as Error).message}`)
  }
  const { subjectAltName, subject, fingerprint256 } = certificate
  const shown = { expiresAt, names: subjectAltName ?? subject, fingerprint: fingerprint256 }
  return { cert, key, expiresAt, shown }
}

/**
 * Reads the first certificate of a file.
 * @param name the variable that names the file
 * @throws ConfigurationError where it holds none
 */
export function readCertificate(name: string, pem: Buffer): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    throw new ConfigurationError(`${name} must be a file with a certificate (PEM); it holds none`)
  }
}

function readKey(name: string, pem: Buffer): KeyObject {
  if (/^(Proc-Type: 4,ENCRYPTED|-----BEGIN ENCRYPTED PRIVATE KEY-----)/m.test(pem.toString('latin1')))
    throw new ConfigurationError(
      `${name} must be a private key without a passphrase: decrypt it, as by openssl pkey`,
    )
  try {
    return createPrivateKey(pem)
  } catch {
    throw new ConfigurationError(`${name} must be a file with a private key (PEM); it holds none`)
  }
}
