/** The codes of Node for a certificate of the server that its authority does not vouch for. */
const untrusted = new Set([
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_SIGNATURE_FAILURE'],
  ...['CERT_UNTRUSTED', 'CERT_REJECTED', 'INVALID_CA', 'PATH_LENGTH_EXCEEDED', 'INVALID_PURPOSE'],
  ...['CERT_CHAIN_TOO_LONG', 'CERT_REVOKED'],
])

const outOfTime = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])

/** Of the handshake, of files that are not PEM, and our own for a server without TLS. */
const otherCodes = /^(EPROTO$|ERR_SSL_|ERR_OSSL_|ERR_TLS_|ERR_DATABASE_TLS_)/

/** Whether a code is of a connection that cannot be encrypted as `sslmode` asks. */
export function isTlsCode(code: string): boolean {
  return untrusted.has(code) || outOfTime.has(code) || otherCodes.test(code)
}

const where = 'in OAUTH2_DATABASE_URL'

/** node-postgres's messages, which come without a code, for a server that answers the request for TLS by no. */
const refusals = [
  'The server does not support SSL connections',
  'There was an error establishing an SSL connection',
]

/**
 * Says in an error of connecting, in place, what somebody can do about it. Errors of another kind stay as they are. Node's own messages
 * name its flags, which do not reach the processes of Gatehouse.
 * @param error the error that node-postgres reports
 * @param encrypted whether the connection uses TLS
 */
export function adviseOnTls(error: unknown, encrypted: boolean): void {
  if (!(error instanceof Error)) return
  const failure = error as Error & { code?: string; routine?: string }
  const advice = adviceOn(failure, encrypted)
  if (advice === undefined) return
  const before = failure.message
  failure.message = advice
  if (failure.stack !== undefined) failure.stack = failure.stack.replace(before, () => advice)
}

function adviceOn(
  failure: Error & { code?: string; routine?: string },
  encrypted: boolean,
): string | undefined {
  const { code = '', message } = failure
  if (code === '' && refusals.includes(message)) {
    failure.code = 'ERR_DATABASE_TLS_REFUSED'
    return `the server takes no encrypted connections: switch TLS on there (ssl = on), or set sslmode=disable ${where}`
  }
  if (untrusted.has(code)) {
    return (
      `the server's certificate is not of an authority that is trusted here (${code}): set sslrootcert=/path/to/ca.pem ${where} ` +
      'to the certificate of the authority that signed it'
    )
  }
  if (outOfTime.has(code)) {
    return `the server's certificate ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}: renew it, and compare the clocks`
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return (
      `the server's certificate is for another host (${reasonOf(failure)}): use a name ${where} that it holds, ` +
      'or check only its authority, by sslmode=verify-ca'
    )
  }
  if (code === '28000' && failure.routine === 'ClientAuthentication') {
    const missing = encrypted
      ? `if the server asks for a certificate, set sslcert=/path/to/client.pem and sslkey=/path/to/client.key ${where}`
      : `if the server takes only encrypted connections, set sslmode=verify-full and sslrootcert=/path/to/ca.pem ${where}`
    return `${message}; ${missing}`
  }
  if (!otherCodes.test(code)) return undefined
  return `TLS failed (${code}): compare the files of sslrootcert, sslcert and sslkey ${where} and the versions of TLS with the server's`
}

/** Node's reason without the names that it was compared with twice. */
function reasonOf(failure: Error): string {
  const { reason } = failure as { reason?: unknown }
  return typeof reason === 'string' ? reason.replace(/\.$/, '') : failure.message
}
