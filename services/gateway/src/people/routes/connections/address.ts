import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { ConnectionLoginServiceService } from '@gatehouse/proto/connection/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import { waitingAt } from '../../account/factor-places.ts'
import { formTarget } from '../../authorization/authorization.ts'
import type { AuthorizationStepDeps } from '../../authorization/authorization-step.ts'
import { organizationAddressPage } from '../../logins/connection-addresses.ts'
import { markRefused } from '../../pages/errors.ts'
import { languageOf } from '../../pages/page-language.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'
import { loginAddress, returnPath } from '../../pages/return-to.ts'
import { explanationOf, TranslatedRefusal } from '../../pages/translated-refusal.ts'
import { textsIn } from '../../texts/table.ts'

/** The needs of the page that leads people to the login of their organization. */
export type OrganizationAddressDeps = Pick<AuthorizationStepDeps, 'tokens' | 'issuer'> & {
  connectionService: Pick<RpcClient<typeof ConnectionLoginServiceService>, 'findByAddress'>
}

const url = organizationAddressPage

/** GET and POST /auth/organization: the page on which the domain of an address leads to the login of an organization. */
export const organizationAddress = endpoint({
  name: 'login through an organization',
  door: 'people',
  part: organizationParts,
  routes: addressRoutes,
})

const missing = new TranslatedRefusal('invalid_request', (t) => t.connections.address.missing)
/** The same words for a domain that nobody knows, and for one without a connection. */
const unknown = new TranslatedRefusal('invalid_request', (t) => t.connections.address.unknown)

function addressRoutes(app: App, deps: OrganizationAddressDeps): void {
  pageRoute(app, {
    url,
    async handler(request, reply) {
      const returnTo = returnPath(parseForm(queryOf(request.url)).return_to)
      return showForm(request, reply, { returnTo }, deps)
    },
  })

  app.route({
    method: 'POST',
    url,
    // Ten of them a minute come from one address: nobody tries domain after domain.
    config: { page: true, limit: 'costly' },
    schema: pageForm('address', 'return_to'),
    async handler(request, reply) {
      const address = (request.body.address ?? '').trim()
      const returnTo = returnPath(request.body.return_to)
      if (address === '' || address.length > longest)
        return showForm(request, reply, { returnTo, address: '', refusal: missing }, deps)
      const { connectionId } = await deps.connectionService.findByAddress({ address })
      if (connectionId === undefined)
        return showForm(request, reply, { returnTo, address, refusal: unknown }, deps)
      return reply.redirect(loginAddress(returnTo, { provider: connectionId }), 303)
    },
  })
}

/** In characters (RFC 5321 section 4.5.3.1.3). */
const longest = 254

async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    returnTo,
    address,
    refusal,
  }: { returnTo: string | undefined; address?: string; refusal?: TranslatedRefusal },
  deps: OrganizationAddressDeps,
): Promise<FastifyReply> {
  const waiting = await waitingAt({ of: 'login', returnTo }, deps)
  const language = languageOf(request, waiting?.uiLocales?.split(' '))
  if (refusal) markRefused(request, reply, refusal)
  const { loginHint } = waiting ?? {}
  const hint = loginHint?.includes('@') ? loginHint : ''
  const content = {
    ...{ returnTo, address: address ?? hint, longest, loginHref: loginAddress(returnTo) },
    problem: refusal && explanationOf(refusal, textsIn(language)),
  }
  return sendPage(reply, 'organization-address', content, {
    language,
    // Chromium checks form-action against the redirects after the form, which lead to the provider.
    formTargets: [formTarget(deps.issuer)],
  })
}
