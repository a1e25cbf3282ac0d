import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

/** A DNS server whose names change at run time, as those of Kubernetes' headless services do. */
export type DnsServer = {
  /** HOST:PORT. */
  authority: string
  add(name: string, address: string): void
  remove(name: string, address: string): void
  /** Gives a name these texts (TXT records), instead of those that it had. */
  setTexts(name: string, ...texts: string[]): void
  /** From now on the answer for a name is that the server has failed, or no longer. */
  setFailing(name: string, failing: boolean): void
  /** From now on there is no answer for a domain and all names in it. @param kind only to questions of this kind */
  silence(domain: string, kind?: Type): void
  addressesOf(name: string): string[]
  /** How often a name was looked up. */
  queriesOf(name: string): number
  close(): Promise<void>
}

type Type = 'A' | 'AAAA' | 'TXT'

/** RFC 1035 section 3.2.2, RFC 3596. */
const types = { 1: 'A', 16: 'TXT', 28: 'AAAA' } as Record<number, Type | undefined>
/** Response codes (RFC 1035 section 4.1.1). */
const failed = 2
const notFound = 3
/** In seconds. */
const lifetime = 1

/**
 * Starts a DNS server (RFC 1035) over UDP that only answers questions for addresses and texts.
 * @param host the address on which it listens
 * @param port 0 for any free port
 * @throws the socket's error, with its `code`, when the port is taken
 */
export async function startDnsServer(host = '127.0.0.1', port = 0): Promise<DnsServer> {
  const names = new Map<string, Set<string>>()
  const queries = new Map<string, number>()
  const silent = new Map<string, Type | undefined>()
  const texts = new Map<string, string[]>()
  const failing = new Set<string>()
  const isSilent = (name: string, type: string | undefined) =>
    [...silent].some(
      ([domain, kind]) => `.${name}`.endsWith(`.${domain}`) && (kind === undefined || kind === type),
    )
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  socket.on('message', (message, { address, port }) => {
    const question = questionOf(message)
    if (question === undefined) return
    const { name, type } = question
    if (type === 'A' || type === 'TXT') queries.set(name, (queries.get(name) ?? 0) + 1)
    if (isSilent(name, type)) return
    const known = names.get(name)
    const addresses = [...(known ?? [])].filter((one) => type === (isIPv6(one) ? 'AAAA' : 'A'))
    const records = type === 'TXT' ? (texts.get(name) ?? []).map(textRecord) : addresses.map(addressRecord)
    const code = failing.has(name) ? failed : known || texts.has(name) ? 0 : notFound
    socket.send(answerTo(message, question.bytes, { code, records }), port, address)
  })
  socket.bind({ address: host, port, exclusive: true })
  await once(socket, 'listening')
  return {
    authority: `${host}:${socket.address().port}`,
    add: (name, address) => void names.set(name, (names.get(name) ?? new Set()).add(address)),
    remove: (name, address) => void names.get(name)?.delete(address),
    setTexts: (name, ...values) => void texts.set(name, values),
    setFailing: (name, fails) => void (fails ? failing.add(name) : failing.delete(name)),
    silence: (domain, kind) => void silent.set(domain, kind),
    addressesOf: (name) => [...(names.get(name) ?? [])],
    queriesOf: (name) => queries.get(name) ?? 0,
    close: () => new Promise((resolve) => socket.close(resolve)),
  }
}

type Question = { name: string; type: Type | undefined; bytes: Buffer }

/** A message's first question; undefined if there is none. */
function questionOf(message: Buffer): Question | undefined {
  const header = 12
  if (message.length < header || message.readUInt16BE(4) === 0) return undefined
  const labels: string[] = []
  let at = header
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const end = at + 5
  if (end > message.length) return undefined
  return {
    name: labels.join('.').toLowerCase(),
    type: types[message.readUInt16BE(at + 1)],
    bytes: message.subarray(header, end),
  }
}

function answerTo(
  message: Buffer,
  question: Buffer,
  { code, records }: { code: number; records: Buffer[] },
): Buffer {
  const answers = code === 0 ? records : []
  const header = Buffer.alloc(12)
  message.copy(header, 0, 0, 2)
  // The flags: a response, authoritative, recursion desired and available.
  header.writeUInt16BE(0x8580 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(answers.length, 6)
  return Buffer.concat([header, question, ...answers])
}

function addressRecord(address: string): Buffer {
  const data = isIPv6(address) ? bytesOfIPv6(address) : Buffer.from(address.split('.').map(Number))
  return recordOf(isIPv6(address) ? 28 : 1, data)
}

/** A text, cut into strings of at most 255 bytes (RFC 1035 section 3.3.14). */
function textRecord(text: string): Buffer {
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.max(1, Math.ceil(bytes.length / 255)) }, (_, index) => {
    const piece = bytes.subarray(index * 255, (index + 1) * 255)
    return Buffer.concat([Buffer.from([piece.length]), piece])
  })
  return recordOf(16, Buffer.concat(pieces))
}

function recordOf(type: number, data: Buffer): Buffer {
  const record = Buffer.alloc(12)
  // A pointer to the name in the question, right after the header.
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(type, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(lifetime, 6)
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([record, data])
}

function bytesOfIPv6(address: string): Buffer {
  const [head = [], tail = []] = address
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  const groups = [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
}
