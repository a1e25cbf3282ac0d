// Becomes one of the processes of the system, brings the database to this release's tables, or runs the command line. The image has no shell.
import { join } from 'node:path'

// A larger young generation: in the two hot processes requests die young, and copying them costs latency.
const hot = ['--max-semi-space-size=64']
// Prisma's WebAssembly is not compiled a second time, with all optimizations, while the process starts: only if it is really hot.
const prisma = ['--wasm-tiering-budget=130000000']
const commands: Record<string, string[]> = {
  gateway: [...hot, 'services/gateway/src/main.ts'],
  token: [...hot, ...prisma, 'services/token/src/main.ts'],
  'client-registry': [...prisma, 'services/client-registry/src/main.ts'],
  identity: [...prisma, 'services/identity/src/main.ts'],
  events: ['services/events/src/main.ts'],
  'recover-administrator': ['services/identity/src/recover-administrator-command.ts'],
  migrate: ['prisma/src/migrate-command.ts'],
  'wait-for-migrations': ['prisma/src/wait-for-migrations-command.ts'],
  cli: ['deploy/cli/src/main.ts'],
}

const [name = '', ...words] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
if (command === undefined) {
  console.error(`usage: one of ${Object.keys(commands).join(', ')}`)
  // EX_USAGE of sysexits.h
  process.exit(64)
}
const root = join(import.meta.dirname, '../..')
// The command line reads the files of the folder that it is called in.
if (name === 'cli') command[0] = join(root, command[0] ?? '')
else process.chdir(root)
// The process itself, not a child of this one: signals and exit codes are its own.
process.execve?.(process.execPath, [process.execPath, ...command, ...words], process.env)
