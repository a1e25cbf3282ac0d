import { Type } from '@gatehouse/proto/typebox'
import { addressRule, allowedNetworksRule } from './address-rule.ts'

/** The variable of services that send requests to URLs which others chose. */
export const fetchVariables = {
  OAUTH2_FETCH_ALLOWED_NETWORKS: Type.Optional(
    Type.String({
      rule: allowedNetworksRule,
      defaultText: 'none: only public addresses, and only with TLS',
      description:
        'The private networks that this server may send requests to when somebody else chose the URL, such as a client. There it may use http:// too. See docs/operate/outgoing-requests.md.',
      check({ OAUTH2_FETCH_ALLOWED_NETWORKS: networks }: { OAUTH2_FETCH_ALLOWED_NETWORKS?: string }) {
        addressRule(networks)
      },
    }),
  ),
}
