import type { NoteGatewayRequest } from '@gatehouse/proto/telemetry/v1'

/** How often a gateway tells about itself, in milliseconds. */
export const gatewayTellsEvery = 5_000
/** How long it is noted, in milliseconds: a call may be lost, and several replicas of a service share the calls. */
const notedFor = 4 * gatewayTellsEvery
/** More gateways than any system has. */
const most = 1_000

/**
 * Notes the gateways that told about themselves lately.
 * @param monotonicNow milliseconds of a monotonic clock
 */
export function notedGateways(monotonicNow: () => number) {
  const noted = new Map<string, { gateway: NoteGatewayRequest; until: number }>()
  const forget = () => {
    for (const [instance, { until }] of noted)
      if (until <= monotonicNow() || noted.size > most) noted.delete(instance)
  }
  return {
    note(gateway: NoteGatewayRequest): void {
      noted.delete(gateway.instance)
      noted.set(gateway.instance, { gateway, until: monotonicNow() + notedFor })
      forget()
    },
    list(): NoteGatewayRequest[] {
      forget()
      return [...noted.values()].map(({ gateway }) => gateway)
    },
  }
}
