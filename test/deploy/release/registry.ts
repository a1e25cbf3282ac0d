import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts, prepareServer, type ServerProcess } from '@gatehouse/test/servers/server-process'

/** A registry of images on this machine. */
export type LocalRegistry = { address: string; server: ServerProcess }

/** Starts Debian's registry of images on a free port of this machine, without TLS. */
export async function startRegistry(): Promise<LocalRegistry> {
  const [port] = await freePorts(1)
  const server = await prepareServer(async (directory) => {
    const config = join(directory, 'config.yml')
    const storage = `filesystem: { rootdirectory: ${JSON.stringify(join(directory, 'data'))} }`
    mkdirSync(join(directory, 'data'))
    writeFileSync(
      config,
      `version: 0.1\nlog: { level: error }\nstorage: { ${storage} }\nhttp: { addr: '127.0.0.1:${port}' }\n`,
    )
    const probe = async () => {
      const { ok, status } = await fetch(`http://127.0.0.1:${port}/v2/`)
      if (!ok) throw new Error(`the registry answers ${status}`)
    }
    return { path: 'docker-registry', argv: ['serve', config], probe }
  })
  await server.start()
  return { address: `localhost:${port}`, server }
}
