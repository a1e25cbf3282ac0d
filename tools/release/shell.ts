import * as programs from '@gatehouse/test/programs/run'

/** A reason why no release can be made, in one line for people. */
export class ReleaseFailure extends Error {
  override readonly name = 'ReleaseFailure'
}

/**
 * Runs a program to its end.
 * @param options the directory that it runs in, and variables besides those of this process
 * @returns its standard output, without the white space at its end
 * @throws ProgramFailure
 */
export async function must(
  program: string,
  argv: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  // An error has the end of what was printed, to be read anywhere.
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...options.env }
  return (await programs.must(program, argv, { ...options, env })).trimEnd()
}
