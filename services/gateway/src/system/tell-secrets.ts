import type { ProcessContext } from '@gatehouse/kit/process/process'
import { instance } from '@gatehouse/kit/release'
import { connect } from '@gatehouse/kit/rpc/connect'
import { generationsOf, type Keyrings } from '@gatehouse/kit/secrets/generation'
import { gatewayTellsEvery } from '@gatehouse/kit/secrets/noted-gateways'
import { repeat } from '@gatehouse/kit/time/repeat'
import { TelemetryServiceService } from '@gatehouse/proto/telemetry/v1'

/** In milliseconds. */
const timeout = 1_000

/**
 * Tells a service which secrets this gateway has, now and again and again, so that another gateway learns of them when an administrator
 * asks: no process calls gateways.
 * @param target the service, as a gRPC target
 */
export function tellSecrets(context: ProcessContext<unknown>, target: string, keyrings: Keyrings): void {
  const service = connect(context, TelemetryServiceService, target, timeout)
  const gateway = { instance, generations: generationsOf(keyrings) }
  const tell = () => service.noteGateway(gateway)
  // The next try follows soon, and it alone is worth a line in the log.
  tell().catch((error) => context.log.debug({ err: error }, 'no service has noted this gateway yet'))
  repeat(context, 'telling which secrets this gateway has', gatewayTellsEvery, tell)
}
