import { type Command, Option } from 'commander'
import type { Api } from './api.ts'
import { confirm } from './credentials.ts'
import { CommandFailure, exitCodes } from './failure.ts'
import type { Output } from './output.ts'
import type { ChosenProfile } from './profiles.ts'
import type { Terminal } from './terminal.ts'

/** The needs of commands. */
export type CommandDeps = {
  environment: Record<string, string | undefined>
  terminal: Terminal
  /** Authenticates, as the command and the environment say. `close` ends the session, if one was begun. @throws CommandFailure */
  connect(): Promise<{ api: Api; close(): Promise<void> }>
  /** Does work over the API, with its own session or token, and shows the result. */
  perform(work: (api: Api) => Promise<Output>): Promise<void>
  /**
   * The server of the command and its profile.
   * @param named the profile's name; by default what the command or the environment says; empty for the current one
   * @throws CommandFailure for an unknown profile or an invalid address
   */
  place(named?: string): Promise<ChosenProfile & { url: string }>
  /** Shows a result that needed no API. */
  show(output: Output): void
}

/** A command's work. @param given its arguments and options, as commander gives them */
export type Work = (api: Api, ...given: never[]) => Promise<Output>

/**
 * Creates a function that adds commands to a group, from the words that commander parses, a description and the work. A
 * command that cannot be undone also has a warning, made from its argument, and asks for confirmation first.
 */
export function adderTo(group: Command, { perform, terminal }: CommandDeps) {
  return (
    words: string,
    description: string,
    work: Work,
    warning?: (argument: string) => string,
  ): Command => {
    const command = group.command(words).description(description)
    if (warning) command.option('--yes', 'do not ask for confirmation')
    return command.action(async (...given) => {
      if (warning && !command.opts().yes) await confirm(warning(command.args[0] ?? ''), terminal)
      await perform((api) => work(api, ...(given as never[])))
    })
  }
}

/** An option for each parameter of a query, or field of a body, by the API's name for it. */
export type OptionsOf<Values> = { readonly [Name in keyof Values]-?: Option }

/**
 * Adds options to a command.
 * @returns a function that gives the values of the options that were used, by the API's names
 */
export function addOptions<Values extends object>(command: Command, options: OptionsOf<Values>) {
  const entries = Object.entries<Option>(options)
  for (const [, option] of entries) {
    command.addOption(option)
    const one = singularOf(option)
    if (one !== undefined) command.addOption(one)
  }
  return (): Partial<Values> => {
    const values = entries.map(([name, option]) => {
      const one = singularOf(option)?.attributeName()
      const [many, single] = [option.attributeName(), one].map((key) => key && command.getOptionValue(key))
      return [name, many === undefined || single === undefined ? (many ?? single) : [...many, ...single]]
    })
    return Object.fromEntries(values.filter(([, value]) => value !== undefined))
  }
}

/** The option that takes one value of a list whose option is named in the plural: --contact beside --contacts. */
function singularOf(option: Option): Option | undefined {
  const plural = /^--(.+)s (<.+>)$/.exec(option.flags)
  if (plural === null || !lists.has(option)) return undefined
  return repeated(`--${plural[1]} ${plural[2]}`, option.description).hideHelp()
}

const lists = new WeakSet<Option>()

/** Parses an option's value as a whole number. @throws CommandFailure otherwise */
export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new CommandFailure(`"${text}" must be a whole number.`, exitCodes.usage)
}

/** An option that may be repeated, for a list of values. */
export function repeated(flags: string, description: string): Option {
  const option = new Option(flags, description)
  lists.add(option)
  return option.argParser((text: string, before: string[] = []) => [...before, text])
}
