import { domainToASCII } from 'node:url'
import { Refusal } from '@gatehouse/kit/errors'
import { parse } from 'tldts'

/** Begins the name of the TXT record that proves a domain, and its value. */
const recordPrefix = '_gatehouse-challenge.'
const valuePrefix = 'gatehouse-domain-verification='

/** The longest domain for which there can be a record: a name has 253 characters at most (RFC 1035 section 2.3.4). */
const longest = 253 - recordPrefix.length

/** The characters that people may type. Everything else, such as a port or an escape, is no part of a domain. */
const typed = /^[\p{L}\p{M}\p{N}.。．｡-]+$/u
const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/**
 * Reads a domain that somebody typed.
 * @returns it in lower case, international names in ASCII (RFC 5891), without a dot at the end
 * @throws Refusal invalid_request for what is no domain, and for one below which anybody can have a domain, such as co.uk
 */
export function readDomain(text: string): string {
  const name = inAscii(text)
  const labels = name.split('.')
  if (labels.length < 2 || name.length > longest || !labels.every((each) => label.test(each)))
    throw new Refusal('invalid_request', 'domain must be a domain such as example.com.')
  const { domain, isIp } = parse(name, { allowPrivateDomains: true })
  if (isIp) throw new Refusal('invalid_request', 'domain must be a domain, and not an address.')
  if (domain === null)
    throw new Refusal(
      'invalid_request',
      'domain must not be one below which anybody can register a domain (publicsuffix.org).',
    )
  return name
}

/** The domain of an e-mail address, as readDomain gives it; undefined for an address without one that can be proven. */
export function domainOfAddress(address: string): string | undefined {
  const domain = inAscii(address.slice(address.lastIndexOf('@') + 1))
  return isDomain(domain) ? domain : undefined
}

/** A domain in lower case and in ASCII, without a dot at the end; empty for what is none. */
function inAscii(text: string): string {
  const name = text.trim()
  return typed.test(name) ? domainToASCII(name).replace(/\.$/, '') : ''
}

/** Whether a text is a domain as readDomain gives it. */
export function isDomain(text: string): boolean {
  return text.length <= longest && text.split('.').every((each) => label.test(each))
}

/** The TXT record that proves a domain. */
export function recordOf({ domain, challenge }: { domain: string; challenge: string }) {
  return { name: recordPrefix + domain, value: valuePrefix + challenge }
}
