import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { inRun, runDirectory } from './places.ts'
import { makeRoom, removeRemains } from './remains.ts'

// Keeps the node of another process: starts its first process in namespaces of its own, and removes all of it when that
// other process ends. It notices by its standard input, so also when that one was killed. It is not killed with it, for it
// has a session of its own; if it is killed itself, the kernel ends the node (pdeathsig), and `down` removes the remains.
// When the node ends by itself, it says why at its file descriptor 3.

const separate = ['--net', '--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child']
const node = ['bash', join(import.meta.dirname, 'init.sh'), ...process.argv.slice(2)]

mkdirSync(runDirectory, { recursive: true })
makeRoom()
const child = spawn(
  'setpriv',
  ['--pdeathsig', 'KILL', 'unshare', ...separate, '--propagation', 'private', ...node],
  { stdio: ['ignore', 'inherit', 'inherit'] },
)
writeFileSync(inRun('keeper'), String(process.pid))

/** Ends the first process of the namespaces, and all others with it. */
function end(): void {
  const first = firstProcess()
  if (first !== undefined) process.kill(first, 'SIGKILL')
  else child.kill('SIGKILL')
}

function firstProcess(): number | undefined {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  return children === '' ? undefined : Number(children.split(' ')[0])
}

const looking = setInterval(() => {
  const first = firstProcess()
  if (first === undefined) return
  writeFileSync(inRun('init'), String(first))
  clearInterval(looking)
}, 50)

process.stdin.resume().on('end', end)
process.on('SIGTERM', end)
child.on('exit', async () => {
  clearInterval(looking)
  if (existsSync(inRun('ended'))) writeSync(3, readFileSync(inRun('ended')))
  await removeRemains()
  process.exit()
})
