import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogWriter } from './logs.ts'
import { compileCache } from './places.ts'
import { type RunningService, runService } from './processes.ts'
import {
  addressVariables,
  entryOf,
  environmentOf,
  nodeFlags,
  type ServiceName,
  serviceNames,
} from './services.ts'

/** One of the five processes. */
export type SystemProcess = RunningService & {
  name: ServiceName
  /** The port on 127.0.0.1 for /live, /ready and /metrics. */
  internalPort: number
  /** The port on 127.0.0.1 for RPCs; the gateway has none. */
  grpcPort: number
}

/** When stopServices kills the processes that still run, in milliseconds from its start. */
const patience = { gateway: 1_500, all: 4_200 }

/**
 * Starts the five processes at the same time; each has a `ready` to wait for.
 * @param options.env the launcher's variables
 * @param options.values the variables that the launcher sets for all services
 * @param options.ports free ports on 127.0.0.1, two for each service
 */
export function startServices(options: {
  env: NodeJS.ProcessEnv
  values: Record<string, string | undefined>
  ports: number[]
  dataDirectory: string
  log: (line: string) => void
  /** Called with each warning of a service during its start. */
  warned: (name: string, warning: string) => void
  onCrash?: (name: string) => void
  beforeRestart: () => Promise<void>
  entry?: (name: ServiceName) => string
  startTimeout?: number
}): SystemProcess[] {
  const { dataDirectory, ports, log, warned, onCrash, beforeRestart } = options
  const portsOf = (name: ServiceName) => {
    const first = serviceNames.indexOf(name) * 2
    return { grpcPort: ports[first] as number, internalPort: ports[first + 1] as number }
  }
  const address = (name: ServiceName) => `127.0.0.1:${portsOf(name).grpcPort}`
  const shared = {
    ...options.values,
    ...addressVariables(address),
    OAUTH2_GRPC_HOST: '127.0.0.1',
    OAUTH2_INTERNAL_HOST: '127.0.0.1',
    NODE_COMPILE_CACHE: compileCache,
  }
  const write = createLogWriter(log)
  return serviceNames.map((name) => {
    const { grpcPort, internalPort } = portsOf(name)
    const service = runService({
      name,
      entry: (options.entry ?? entryOf)(name),
      nodeFlags: nodeFlags[name],
      environment: environmentOf(name, options.env, {
        ...shared,
        OAUTH2_GRPC_PORT: String(grpcPort),
        OAUTH2_INTERNAL_PORT: String(internalPort),
      }),
      logFile: join(dataDirectory, 'logs', `${name}.log`),
      write,
      log,
      warned,
      ...(onCrash && { onCrash }),
      ...(options.startTimeout !== undefined && { startTimeout: options.startTimeout }),
      beforeRestart,
    })
    // A spread would read this getter only once.
    return Object.assign(service, { name, internalPort, grpcPort })
  })
}

/** Stops the processes, the gateway first, because it needs the others for the requests that it has begun. */
export async function stopServices(services: SystemProcess[]): Promise<void> {
  const overdue = setTimeout(() => {
    for (const service of services) service.destroy()
  }, patience.all)
  const gateway = services.filter(({ name }) => name === 'gateway').map((service) => service.stop())
  await Promise.race([Promise.all(gateway), sleep(patience.gateway)])
  await Promise.all(services.map((service) => service.stop()))
  clearTimeout(overdue)
}
