import type { TObject } from '@gatehouse/proto/typebox'
import { clientRegistryConfig } from '../../../services/client-registry/src/config.ts'
import { eventsConfig } from '../../../services/events/src/config.ts'
import { gatewayConfig } from '../../../services/gateway/src/config.ts'
import { identityConfig } from '../../../services/identity/src/config.ts'
import { tokenConfig } from '../../../services/token/src/config.ts'
import type { ServiceName } from './services.ts'

/** The variables of each service. */
export const serviceSchemas: Record<ServiceName, TObject> = {
  gateway: gatewayConfig,
  token: tokenConfig,
  'client-registry': clientRegistryConfig,
  identity: identityConfig,
  events: eventsConfig,
}
