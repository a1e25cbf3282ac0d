import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The version of this release. */
export const version = manifest.version

/** Names this process among its replicas. */
export const instance = `${hostname()}-${process.pid}`
