#!/usr/bin/env node
import { runCommand } from './program.ts'

const { argv, env, stdin: input, stdout: output, stderr: errors } = process
output.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The reader has seen enough, as `head` has. The command still finishes its work.
  if (code === 'EPIPE') return
  process.exitCode = 1
  errors.write(`The output cannot be written (${code ?? message}).\n`)
})
// Nobody can be told of that.
errors.on('error', () => {})
const exitCode = await runCommand(argv.slice(2), env, { input, output, errors })
process.exitCode ||= exitCode
