import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { runCommand } from '../../../deploy/cli/src/program.ts'

/** The output of a command, and its exit code. */
export type EndedCommand = { code: number; out: string; err: string }

/** Runs commands of the program `gatehouse` in this process. */
export type GatehouseCommand = {
  /**
   * Runs a command.
   * @param words its arguments
   * @param variables environment variables besides those of every command
   * @param input the text that it reads from its standard input
   */
  gatehouse(words: string[], variables?: Record<string, string>, input?: string): Promise<EndedCommand>
  /** Runs a command that must succeed, and parses its JSON output. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has a shape of its own.
  json(...words: string[]): Promise<any>
}

/**
 * Creates what runs commands.
 * @param variables gives the environment variables of every command, such as GATEHOUSE_URL
 */
export function gatehouseCommand(variables: () => Record<string, string>): GatehouseCommand {
  async function gatehouse(words: string[], more: Record<string, string> = {}, input = '') {
    const [output, errors] = [new PassThrough(), new PassThrough()]
    const terminal = { input: Readable.from([input]), output, errors }
    // The profiles of the person who runs the tests do not count.
    const own = { GATEHOUSE_CONFIG: '/nonexistent/profiles.json' }
    const code = await runCommand(words, { ...own, ...variables(), ...more }, terminal)
    output.end()
    errors.end()
    return { code, out: await text(output), err: await text(errors) }
  }

  return {
    gatehouse,
    async json(...words) {
      const { code, out, err } = await gatehouse([...words, '--json'])
      expect([code, err]).toEqual([0, ''])
      return JSON.parse(out)
    },
  }
}
