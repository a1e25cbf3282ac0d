/** A value of DER (X.690): its tag, and where it and its content begin and end. */
type Value = { tag: number; start: number; content: number; end: number }

/** @throws RangeError when the bytes end before the value does */
function valueAt(bytes: Uint8Array, start: number): Value {
  const at = (index: number) => {
    const byte = bytes[index]
    if (byte === undefined) throw new RangeError('the certificate ends too early')
    return byte
  }
  const first = at(start + 1)
  const more = first < 0x80 ? 0 : first & 0x7f
  let length = more === 0 ? first : 0
  for (let index = 0; index < more; index += 1) length = length * 256 + at(start + 2 + index)
  const content = start + 2 + more
  if (length > bytes.length - content) throw new RangeError('the certificate ends too early')
  return { tag: at(start), start, content, end: content + length }
}

/** The tag of the version, which certificates of version 1 do not have. */
const versionTag = 0xa0

/** The fields between the version and the public key: serial number, algorithm, issuer, validity, subject (RFC 5280 section 4.1). */
const fieldsBefore = 5

/**
 * The public key of a certificate, as SPKI.
 * @param certificate DER
 * @throws RangeError when it ends too early
 */
export function publicKeyIn(certificate: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const whole = valueAt(certificate, 0)
  const content = valueAt(certificate, whole.content)
  let field = valueAt(certificate, content.content)
  if (field.tag === versionTag) field = valueAt(certificate, field.end)
  for (let passed = 0; passed < fieldsBefore; passed += 1) field = valueAt(certificate, field.end)
  return certificate.slice(field.start, field.end)
}
