import { cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { repository } from '@gatehouse/test/servers/prometheus'
import { parse } from 'yaml'

/** The part of a service in compose.yaml that the tests use. */
export type ComposeService = {
  image: string
  command?: string[]
  environment?: Record<string, string>
  ports?: string[]
  networks: Record<string, { aliases?: string[] }>
  volumes?: string[]
  depends_on?: Record<string, { condition: string }>
  extends?: { file: string; service: string }
  build?: { context: string; dockerfile: string }
  read_only?: boolean
  cap_drop?: string[]
}

/** The directory of compose.yaml. */
export const composeDirectory = join(repository, 'deploy/compose')

/** A copy of deploy/ in a new directory, without secrets. The caller removes it. @returns the directory that has deploy/ */
export function copyDeployment(): string {
  const copy = mkdtempSync(join(tmpdir(), 'gatehouse-deploy-'))
  cpSync(join(repository, 'deploy'), join(copy, 'deploy'), {
    recursive: true,
    filter: (path) => !/node_modules|\.env$/.test(path),
  })
  return copy
}

/** compose.yaml unchanged, and its services with the values of the variables, including those that they take by variables.yaml. */
export function readCompose(variables: Record<string, string>) {
  const text = readFileSync(join(composeDirectory, 'compose.yaml'), 'utf8')
  const filled = text.replace(/\$\{(\w+)(?:(:-|:\?)([^}]*))?\}/g, (_, name, operator, rest) => {
    const value = variables[name]
    if (value) return value
    if (operator === ':-') return rest
    throw new Error(`${name} has no value`)
  })
  const { services } = parse(filled, { merge: true }) as { services: Record<string, ComposeService> }
  for (const service of Object.values(services)) {
    const own = Object.entries(service.environment ?? {}).map(([name, value]) => [name, String(value)])
    const taken = takenBy(service).filter((name) => name in variables)
    service.environment = {
      ...Object.fromEntries(taken.map((name) => [name, variables[name]])),
      ...Object.fromEntries(own),
    }
    // A list of networks is short for a map of networks without settings.
    if (Array.isArray(service.networks))
      service.networks = Object.fromEntries(service.networks.map((name: string) => [name, {}]))
  }
  return { text, services }
}

/** The names of the variables that a service takes from .env by the file that it extends. */
function takenBy({ extends: base }: ComposeService): string[] {
  if (base === undefined) return []
  const { services } = parse(readFileSync(join(composeDirectory, base.file), 'utf8')) as {
    services: Record<string, { environment: Record<string, null> }>
  }
  return Object.keys(services[base.service]?.environment ?? {})
}

/** The files that the services mount, each with its path in the container. */
export function mountsOf({ volumes = [] }: ComposeService): { file: string; path: string }[] {
  return volumes
    .map((volume) => volume.split(':') as [string, string])
    .filter(([source]) => source.startsWith('.'))
    .map(([source, path]) => ({ file: join(composeDirectory, source), path }))
}

/**
 * The file of this repository that is mounted at a path in a container.
 * @throws Error when there is none
 */
export function fileAt(service: ComposeService, path: string): string {
  for (const mount of mountsOf(service)) {
    const inside = path === mount.path || path.startsWith(`${mount.path}/`)
    if (inside && existsSync(mount.file)) return join(mount.file, path.slice(mount.path.length))
  }
  throw new Error(`nothing is mounted at ${path} in ${dirname(path)}`)
}
