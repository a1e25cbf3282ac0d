import { experimental } from '@grpc/grpc-js'

type Resolver = experimental.Resolver
type Constructor = Parameters<typeof experimental.registerResolver>[1]
type Arguments = ConstructorParameters<Constructor>

const scheme = 'replicas'

/** In milliseconds. */
const lookEvery = 3_000

/**
 * Makes a target whose name is resolved repeatedly. grpc-js resolves a name only when a connection ends, and a server
 * that ends connections to force this (max_connection_age) loses the calls that are on their way to it.
 * @param target a gRPC target: dns:///token:50051, token:50051; a target that is not a name is returned unchanged
 */
export function watchedTarget(target: string): string {
  experimental.registerResolver(scheme, ReplicaResolver)
  if (/^(ipv4|ipv6|unix|unix-abstract):/.test(target)) return target
  return target.startsWith('dns:') ? target.replace(/^dns/, scheme) : `${scheme}:///${target}`
}

/** grpc-js's own name resolver, run every three seconds; a result that has not changed is not passed on. */
class ReplicaResolver implements Resolver {
  readonly #names: Resolver
  #timer: NodeJS.Timeout | undefined
  #known: string | undefined

  constructor(...[target, listener, options]: Arguments) {
    this.#names = experimental.createResolver(
      { ...target, scheme: 'dns' },
      (found, ...rest) => {
        const addresses = found.ok
          ? JSON.stringify(found.value.map(({ addresses }) => addresses).sort(byText))
          : undefined
        if (addresses !== undefined && addresses === this.#known) return true
        this.#known = addresses ?? this.#known
        return listener(found, ...rest)
      },
      options,
    )
  }

  /** Called when a connection is lost: the next result is passed on even if it has not changed. */
  updateResolution(): void {
    this.#known = undefined
    this.#names.updateResolution()
    this.#timer ??= setInterval(() => this.#names.updateResolution(), lookEvery).unref()
  }

  destroy(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#names.destroy()
  }

  static getDefaultAuthority({ path }: Arguments[0]): string {
    return path
  }
}

function byText(one: object, other: object): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
}
