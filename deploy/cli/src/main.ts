#!/usr/bin/env node
import { runCommand } from './program.ts'

const { argv, env, stdin: input, stdout: output, stderr: errors } = process
process.exitCode = await runCommand(argv.slice(2), env, { input, output, errors })
