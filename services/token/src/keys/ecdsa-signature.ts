/** In bytes: each of the two numbers of a signature with P-256. */
const size = 32

/**
 * Turns an ECDSA signature of P-256 from DER, as OpenSSL gives it, into the form of JWS (RFC 7518 section 3.4): both numbers side by
 * side. Node can do that too, but takes as long for it as for the signature.
 */
export function toJoseSignature(der: Buffer): Buffer {
  const signature = Buffer.alloc(2 * size)
  // A sequence of two integers: its tag and length come first, then the tag and length of each integer.
  for (const [number, at] of [
    [0, 2],
    [1, 4 + (der[3] ?? 0)],
  ] as const) {
    const length = der[at + 1] ?? 0
    // An integer whose first bit is set begins with a zero; one that is small has fewer bytes.
    const bytes = der.subarray(at + 2 + Math.max(0, length - size), at + 2 + length)
    bytes.copy(signature, (number + 1) * size - bytes.length)
  }
  return signature
}

/**
 * The other way round.
 * @returns undefined when it has not the length of such a signature
 */
export function fromJoseSignature(signature: Buffer): Buffer | undefined {
  if (signature.length !== 2 * size) return undefined
  const numbers = [signature.subarray(0, size), signature.subarray(size)].map((bytes) => {
    let first = 0
    while (first < size - 1 && bytes[first] === 0) first += 1
    const digits = bytes.subarray(first)
    const integer = (digits[0] ?? 0) > 127 ? Buffer.concat([Buffer.of(0), digits]) : digits
    return Buffer.concat([Buffer.of(2, integer.length), integer])
  })
  const content = Buffer.concat(numbers)
  return Buffer.concat([Buffer.of(48, content.length), content])
}
