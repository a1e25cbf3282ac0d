import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { bareHost } from '@gatehouse/kit/host'

/**
 * The name by which this server greets a mail server (EHLO, RFC 5321 section 4.1.4). Relays refuse one that is no domain, such as the
 * name of a pod. It is the public host where that is a domain, else the sender's domain, else the public host as it is.
 * @param publicHost the host of OAUTH2_SERVER_PUBLIC_BASE_URL, in brackets if it is an IPv6 address
 * @param senderDomain the domain of the sender's address
 */
export function smtpName(publicHost: string, senderDomain: string): string {
  const host = publicHost.replace(/\.$/, '')
  const sender = domainToASCII(senderDomain)
  return [host, sender].find(isDomain) ?? literalOf(host)
}

function isDomain(name: string): boolean {
  return name.includes('.') && isIP(name) === 0 && !name.endsWith('.localhost')
}

/** RFC 5321 section 4.1.3. */
function literalOf(host: string): string {
  const address = bareHost(host)
  if (isIP(address) === 4) return `[${address}]`
  return isIP(address) === 6 ? `[IPv6:${address}]` : host
}
