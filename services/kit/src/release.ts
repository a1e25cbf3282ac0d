import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The version of this release. */
export const version = manifest.version

/** This process's name, unique among its replicas. */
export const instance = `${hostname()}-${process.pid}`
