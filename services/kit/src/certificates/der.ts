/** A value in DER (X.690 section 8.1): its tag, its content, and all of its bytes. */
export type DerValue = { tag: number; content: Buffer; bytes: Buffer }

/** The tags of universal types that certificates have (X.680 section 8.6). */
export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8: 0x0c,
  numeric: 0x12,
  printable: 0x13,
  ia5: 0x16,
  bmp: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const

/** The tag of a context-specific value, which is constructed if it holds other values. */
export function contextTag(number: number, constructed: boolean): number {
  return 0x80 | (constructed ? 0x20 : 0) | number
}

/** Reads one value. @throws Error where the bytes are something else, or more */
export function readDer(bytes: Buffer): DerValue {
  const { value, end } = valueAt(bytes, 0)
  if (end !== bytes.length) throw new Error('bytes after the end of a DER value')
  return value
}

/** The values that a constructed value consists of. @throws Error where its content is something else */
export function partsOf({ content }: DerValue): DerValue[] {
  const parts: DerValue[] = []
  for (let at = 0; at < content.length; ) {
    const { value, end } = valueAt(content, at)
    parts.push(value)
    at = end
  }
  return parts
}

/** The values in a constructed value of this type. @throws Error where it is of another type */
export function partsIn(value: DerValue | undefined, tag: number): DerValue[] {
  if (value?.tag !== tag) throw new Error('unexpected type of a DER value')
  return partsOf(value)
}

/** In bytes: those of certificates have at most some twenty. */
const longestIdentifier = 64

/** An object identifier with its numbers, such as 2.5.4.3. @throws Error for another value */
export function objectIdentifierOf({ tag, content }: DerValue): string {
  if (tag !== derTag.objectIdentifier || content.length === 0 || (content.at(-1) ?? 0) >= 0x80)
    throw new Error('no object identifier')
  // Reading one takes as long as the square of its length.
  if (content.length > longestIdentifier) throw new Error('no object identifier of a certificate')
  const numbers: bigint[] = []
  let number = 0n
  for (const byte of content) {
    number = (number << 7n) | BigInt(byte & 0x7f)
    if (byte >= 0x80) continue
    // X.690 section 8.19.4: the first one stands for two.
    const root = number < 80n ? number / 40n : 2n
    numbers.push(...(numbers.length === 0 ? [root, number - root * 40n] : [number]))
    number = 0n
  }
  return numbers.join('.')
}

function valueAt(bytes: Buffer, start: number): { value: DerValue; end: number } {
  const [tag, first] = [bytes[start], bytes[start + 1]]
  // No certificate has a tag of several bytes.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new Error('no DER value')
  const more = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || more > 4 || start + 2 + more > bytes.length) throw new Error('no DER length')
  const length = more === 0 ? first : bytes.readUIntBE(start + 2, more)
  const begin = start + 2 + more
  const end = begin + length
  if (end > bytes.length) throw new Error('a DER value is cut off')
  return { value: { tag, content: bytes.subarray(begin, end), bytes: bytes.subarray(start, end) }, end }
}
