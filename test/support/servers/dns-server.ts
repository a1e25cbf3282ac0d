import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

/** A DNS server whose names change at run time, as those of Kubernetes' headless services do. */
export type DnsServer = {
  /** HOST:PORT. */
  authority: string
  add(name: string, address: string): void
  remove(name: string, address: string): void
  /** From now on there is no answer for a domain and all names in it. @param kind only to questions of this kind */
  silence(domain: string, kind?: 'A' | 'AAAA'): void
  addressesOf(name: string): string[]
  /** How often a name was looked up. */
  queriesOf(name: string): number
  close(): Promise<void>
}

/** RFC 1035 section 3.2.2, RFC 3596. */
const types = { 1: 'A', 28: 'AAAA' } as Record<number, 'A' | 'AAAA' | undefined>
const notFound = 3
/** In seconds. */
const lifetime = 1

/**
 * Starts a DNS server (RFC 1035) over UDP that only answers questions for addresses.
 * @param host the address on which it listens
 * @param port 0 for any free port
 * @throws the socket's error, with its `code`, when the port is taken
 */
export async function startDnsServer(host = '127.0.0.1', port = 0): Promise<DnsServer> {
  const names = new Map<string, Set<string>>()
  const queries = new Map<string, number>()
  const silent = new Map<string, 'A' | 'AAAA' | undefined>()
  const isSilent = (name: string, type: string | undefined) =>
    [...silent].some(
      ([domain, kind]) => `.${name}`.endsWith(`.${domain}`) && (kind === undefined || kind === type),
    )
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  socket.on('message', (message, { address, port }) => {
    const question = questionOf(message)
    if (question === undefined) return
    const { name, type } = question
    if (type === 'A') queries.set(name, (queries.get(name) ?? 0) + 1)
    if (isSilent(name, type)) return
    const known = names.get(name)
    const addresses = [...(known ?? [])].filter((one) => type === (isIPv6(one) ? 'AAAA' : 'A'))
    socket.send(answerTo(message, question.bytes, known && addresses), port, address)
  })
  socket.bind({ address: host, port, exclusive: true })
  await once(socket, 'listening')
  return {
    authority: `${host}:${socket.address().port}`,
    add: (name, address) => void names.set(name, (names.get(name) ?? new Set()).add(address)),
    remove: (name, address) => void names.get(name)?.delete(address),
    silence: (domain, kind) => void silent.set(domain, kind),
    addressesOf: (name) => [...(names.get(name) ?? [])],
    queriesOf: (name) => queries.get(name) ?? 0,
    close: () => new Promise((resolve) => socket.close(resolve)),
  }
}

type Question = { name: string; type: 'A' | 'AAAA' | undefined; bytes: Buffer }

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

/** @param addresses undefined if the name does not exist */
function answerTo(message: Buffer, question: Buffer, addresses: string[] | undefined): Buffer {
  const header = Buffer.alloc(12)
  message.copy(header, 0, 0, 2)
  // The flags: a response, authoritative, recursion desired and available.
  header.writeUInt16BE(0x8580 | (addresses === undefined ? notFound : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses?.length ?? 0, 6)
  return Buffer.concat([header, question, ...(addresses ?? []).map(recordOf)])
}

function recordOf(address: string): Buffer {
  const data = isIPv6(address) ? bytesOfIPv6(address) : Buffer.from(address.split('.').map(Number))
  const record = Buffer.alloc(12)
  // A pointer to the name in the question, right after the header.
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(isIPv6(address) ? 28 : 1, 2)
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
