import { experimental } from '@grpc/grpc-js'

type Resolver = experimental.Resolver
type Constructor = Parameters<typeof experimental.registerResolver>[1]
type Arguments = ConstructorParameters<Constructor>
type Listener = Arguments[1]
type Result = Parameters<Listener>

const scheme = 'replicas'

/** In milliseconds. */
const lookEvery = 3_000
/** For so many milliseconds a result serves other channels, too. grpc-js does not look a name up more often. */
const freshFor = 2_000

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

/** Gives a channel the addresses of a name whenever they change. */
class ReplicaResolver implements Resolver {
  readonly #listener: Listener
  readonly #join: () => NameWatch
  #watch: NameWatch | undefined
  #known: string | undefined

  constructor(...[target, listener, options]: Arguments) {
    this.#listener = listener
    this.#join = () => watchOf(target, options)
  }

  /** Called at first, and when a connection is lost: the next result is passed on even if it has not changed. */
  updateResolution(): void {
    this.#known = undefined
    this.#watch ??= this.#join()
    this.#watch.look(this)
  }

  destroy(): void {
    this.#watch?.leave(this)
    this.#watch = undefined
  }

  /** Passes a result on, unless the channel knows it. @returns whether the channel could use it */
  take(...[found, ...rest]: Result): boolean {
    const addresses = found.ok
      ? JSON.stringify(found.value.map(({ addresses }) => addresses).sort(byText))
      : undefined
    if (addresses !== undefined && addresses === this.#known) return true
    this.#known = addresses ?? this.#known
    return this.#listener(found, ...rest)
  }

  static getDefaultAuthority({ path }: Arguments[0]): string {
    return path
  }
}

/** grpc-js's own name resolver, run every three seconds for all channels to one name. */
class NameWatch {
  readonly #names: Resolver
  readonly #resolvers = new Set<ReplicaResolver>()
  readonly #ended: () => void
  readonly #timer: NodeJS.Timeout
  #latest: { result: Result; at: number } | undefined

  constructor(target: Arguments[0], options: Arguments[2], ended: () => void) {
    this.#ended = ended
    this.#names = experimental.createResolver(
      { ...target, scheme: 'dns' },
      (...result) => {
        this.#latest = { result, at: performance.now() }
        return [...this.#resolvers].map((one) => one.take(...result)).every(Boolean)
      },
      options,
    )
    this.#timer = setInterval(() => this.#names.updateResolution(), lookEvery).unref()
  }

  /** Gives a channel the last result, and looks the name up unless that was just done. grpc-js gives an IP address only once. */
  look(resolver: ReplicaResolver): void {
    this.#resolvers.add(resolver)
    const { result, at = Number.NEGATIVE_INFINITY } = this.#latest ?? {}
    if (result) setImmediate(() => this.#resolvers.has(resolver) && resolver.take(...result))
    if (performance.now() - at > freshFor) this.#names.updateResolution()
  }

  leave(resolver: ReplicaResolver): void {
    this.#resolvers.delete(resolver)
    if (this.#resolvers.size > 0) return
    clearInterval(this.#timer)
    this.#names.destroy()
    this.#ended()
  }
}

const watches = new Map<string, NameWatch>()

function watchOf(target: Arguments[0], options: Arguments[2]): NameWatch {
  const name = `${target.authority ?? ''}/${target.path}`
  const watch = watches.get(name) ?? new NameWatch(target, options, () => watches.delete(name))
  watches.set(name, watch)
  return watch
}

function byText(one: object, other: object): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
}
