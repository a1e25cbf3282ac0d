import type { AdminApi } from './api.ts'
import { CommandFailure, exitCodes } from './failure.ts'
import type { Output } from './output.ts'
import type { Terminal } from './terminal.ts'

/** Does a command's work over the API, and says what to show. */
export type Work = (api: AdminApi) => Promise<Output>

/** What commands are made with. */
export type CommandDeps = {
  environment: Record<string, string | undefined>
  terminal: Terminal
  /** Does the work, with a session or token of its own, and shows what came of it. */
  perform(work: Work): Promise<void>
  /** Shows what needed no API. */
  show(output: Output): void
}

/** An option's value that is a whole number. @throws CommandFailure otherwise */
export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new CommandFailure(`"${text}" must be a whole number.`, exitCodes.usage)
}

/** Puts one more of an option's values to those before. */
export function oneMore(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** The query of a list. */
export function listQuery(options: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(options)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query}`
}
