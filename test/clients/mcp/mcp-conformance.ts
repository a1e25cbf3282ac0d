import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

/** The settings of a run of MCP's conformance tool. */
export type ConformanceRun = {
  issuer: string
  /** A client whose redirect URI is `http://127.0.0.1:<port>/callback`. */
  clientId: string
  port: number
  resource: string
  /** Sends the user to an address, and returns the URL to which they are redirected. */
  agree(address: URL): Promise<URL>
}

/**
 * Runs the conformance tool of MCP for authorization servers.
 * @returns the status of each check by its id, such as `SUCCESS`, with the error if it has one
 */
export async function checkConformance(options: ConformanceRun): Promise<Record<string, string>> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-mcp-'))
  try {
    const { issuer, clientId, port, resource } = options
    const client = ['--client-id', clientId, '--resource', resource, '--port', `${port}`]
    const argv = [program, 'authorization', '--url', issuer, ...client, '--output-dir', directory]
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'close')
    for await (const line of createInterface(child.stdout)) {
      // It prints the address that a person would open, and listens where they come back.
      if (line.startsWith(`${issuer}/`)) await fetch(await options.agree(new URL(line)))
    }
    await ended
    return await resultsIn(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

type Check = { id: string; status: string; errorMessage?: string }

async function resultsIn(directory: string): Promise<Record<string, string>> {
  const results: Record<string, string> = {}
  for await (const file of glob(join(directory, '*/checks.json'))) {
    const checks = JSON.parse(await readFile(file, 'utf8')) as Check[]
    for (const { id, status, errorMessage = '' } of checks) results[id] = `${status} ${errorMessage}`.trim()
  }
  return results
}
