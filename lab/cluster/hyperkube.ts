import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildGoPackage } from '@gatehouse/test/programs/go-programs'

const gomod = readFileSync(join(import.meta.dirname, 'go.mod'), 'utf8')
const [, version = '', minor = ''] = /k8s\.io\/kubernetes (v1\.(\d+)\.\d+)/.exec(gomod) ?? []

/** The version of Kubernetes, as go.mod has it. */
export const kubernetesVersion = version

const stamp = ['gitVersion', version, 'gitMajor', '1', 'gitMinor', minor]
const flags = [0, 2, 4].map((at) => `-X k8s.io/component-base/version.${stamp[at]}=${stamp[at + 1]}`)

/**
 * Builds all programs of Kubernetes as one, unless that was done before. Its first argument is the name of the program to be.
 * @returns its path
 */
export function buildHyperkube(): Promise<string> {
  return buildGoPackage(import.meta.dirname, 'hyperkube', flags.join(' '))
}
