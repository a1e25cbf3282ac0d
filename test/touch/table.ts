import type { Addition } from './addition.ts'
import { administeredResource } from './additions/administered-resource.ts'
import { clientAuthenticationMethod } from './additions/client-authentication-method.ts'
import { endpoint } from './additions/endpoint.ts'
import { fields } from './additions/fields.ts'
import { grant } from './additions/grant.ts'
import { grantLists } from './additions/grant-lists.ts'
import { grantWithEndpoint } from './additions/grant-with-endpoint.ts'
import { limit } from './additions/limit.ts'
import { listColumn } from './additions/list-column.ts'
import { listFilter } from './additions/list-filter.ts'
import { page } from './additions/page.ts'
import { tokenFact } from './additions/token-fact.ts'
import { upstreamProvider } from './additions/upstream-provider.ts'

/** Everything that is added to the product again and again. */
export const additions: readonly Addition[] = [
  ...fields,
  clientAuthenticationMethod,
  tokenFact,
  grant,
  grantWithEndpoint,
  endpoint,
  page,
  grantLists,
  administeredResource,
  limit,
  upstreamProvider,
  listFilter,
  listColumn,
]
