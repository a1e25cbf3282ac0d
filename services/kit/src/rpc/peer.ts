import { lookup, Resolver } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { bareHost, hostAndPort } from '../host.ts'
import type { Certificates } from './certificates.ts'

/** The address of a service, or of one replica, for the process that calls it. */
export type Peer = {
  /** A gRPC target: dns:///token:50051, 127.0.0.1:50051. */
  target: string
  /** If set, calls use mutual TLS. */
  certificates?: Certificates | undefined
  /** The name that the peer's certificate must have; by default the target's. */
  serverName?: string
}

/**
 * Makes a peer of a service's address.
 * @param process the calling process
 * @param target a gRPC target
 */
export function peerAt({ certificates }: { certificates: Certificates | undefined }, target: string): Peer {
  return { target, certificates }
}

/**
 * Resolves a service's name to its current replicas, each as a peer.
 * @param peer a service; a target that is not a name counts as one replica
 * @throws if the name cannot be resolved
 */
export async function replicasOf(peer: Peer): Promise<Peer[]> {
  const [, authority, name, port] = /^(?:dns:(?:\/\/([^/]*)\/)?)?(.+):(\d+)$/.exec(peer.target) ?? []
  const isAddress = /^(ipv4|ipv6|unix|unix-abstract):/.test(peer.target)
  if (isAddress || name === undefined || port === undefined) return [peer]
  const host = bareHost(name)
  const addresses = await (authority ? addressesFrom(authority, host) : addressesOf(host))
  return addresses.map((address) => ({
    serverName: host,
    ...peer,
    target: `ipv${isIPv6(address) ? 6 : 4}:${hostAndPort(address, port)}`,
  }))
}

async function addressesOf(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** Asks the name server that the target names (gRPC name resolution, "dns:"). */
async function addressesFrom(server: string, host: string): Promise<string[]> {
  const resolver = new Resolver()
  resolver.setServers([server])
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length === 0) throw new Error(`the name server ${server} knows no address of ${host}`)
  return found
}
