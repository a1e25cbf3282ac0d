import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'amqplib'
import { program } from '../programs/programs.ts'
import { freePorts, prepareServer, type ServerProcess } from './server-process.ts'

const server = await program('rabbitmq-server')

/** Whether tests with RabbitMQ can run on this machine. */
export const hasRabbit = server !== undefined

/** A real RabbitMQ on its own ports. */
export type TestRabbit = ServerProcess & {
  /** Contains the password. */
  url: string
  pass: string
}

// Erlang nodes find each other through a daemon that outlives them. This one ends with its process group, so it does not disturb
// others.
const script = 'epmd -address 127.0.0.1 -port "$ERL_EPMD_PORT" & exec "$0"'

/** Prepares a RabbitMQ for a test file, without starting it. */
export async function prepareRabbit(): Promise<TestRabbit> {
  const [port, distributionPort, epmdPort] = await freePorts(3)
  const pass = 'not-for-the-log'
  const url = `amqp://somebody:${pass}@127.0.0.1:${port}`
  const process = await prepareServer(async (directory) => {
    const inside = (name: string) => join(directory, name)
    await writeFile(inside('enabled_plugins'), '[].')
    return {
      path: '/bin/sh',
      argv: ['-c', script, server as string],
      environment: {
        // The directory with Erlang's cookie.
        HOME: directory,
        ERL_EPMD_PORT: String(epmdPort),
        RABBITMQ_CONF_ENV_FILE: '/dev/null',
        // Reading a configuration file takes seconds.
        RABBITMQ_CONFIG_FILE: inside('none'),
        RABBITMQ_DEFAULT_USER: 'somebody',
        RABBITMQ_DEFAULT_PASS: pass,
        RABBITMQ_ENABLED_PLUGINS_FILE: inside('enabled_plugins'),
        RABBITMQ_NODENAME: `gatehouse-test-${port}@localhost`,
        RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
        RABBITMQ_NODE_PORT: String(port),
        RABBITMQ_DIST_PORT: String(distributionPort),
        RABBITMQ_MNESIA_BASE: inside('data'),
        RABBITMQ_LOG_BASE: inside('log'),
        RABBITMQ_PID_FILE: inside('pid'),
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none',
      },
      async probe() {
        const client = await connect(url, { timeout: 2_000 })
        await client.close()
      },
    }
  })
  return { ...process, url, pass }
}
