import { type Implementation, implement } from '@gatehouse/kit/rpc-server'
import { EventsServiceService as eventsService } from '@gatehouse/proto/events/v1'

/** The events service's RPCs. There is no backend to switch eventing on with yet. */
export function eventsRpcs(): Implementation {
  return implement(eventsService, {
    getEventHealth: async () => ({ enabled: false, plugins: [] }),
  })
}
