import { isIP } from 'node:net'
import { ConfigurationError } from '@gatehouse/kit/config/config'
import { type Static, Type } from '@gatehouse/proto/typebox'

/** The variables of the domains of organizations. */
export const domainVariables = {
  OAUTH2_DNS_SERVERS: Type.Optional(
    Type.String({
      minLength: 1,
      rule: 'IP addresses of name servers, separated by commas, such as 192.0.2.53,[2001:db8::53]:5353',
      defaultText: 'those of the operating system',
      description:
        'The name servers that are asked for the TXT records which prove the domains of organizations. Others may see other records, such as those of an internal network. See docs/people/organizations.md.',
      check: checkServers,
    }),
  ),
}

/** The values of these variables. */
export type DomainVariables = {
  [Name in keyof typeof domainVariables]?: Static<(typeof domainVariables)[Name]>
}

/** The addresses of the name servers, with their ports; undefined for those of the operating system. */
export function dnsServersOf({ OAUTH2_DNS_SERVERS: list }: DomainVariables): readonly string[] | undefined {
  return list?.split(',').map((server) => server.trim())
}

/** @throws ConfigurationError */
function checkServers(variables: DomainVariables): void {
  const wrong = dnsServersOf(variables)?.find((server) => !isServer(server))
  if (wrong !== undefined)
    throw new ConfigurationError(
      `OAUTH2_DNS_SERVERS must have IP addresses, separated by commas, such as 192.0.2.53,[2001:db8::53]:5353; ${wrong || 'an empty part'} is none`,
    )
}

/** Whether a text is an address as node:dns takes it, with or without a port. */
function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const family = isIP(six ?? four ?? '')
  return (
    family === (six === undefined ? 4 : 6) &&
    (port === undefined || (Number(port) > 0 && Number(port) < 65_536))
  )
}
