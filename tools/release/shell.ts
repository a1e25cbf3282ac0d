import { type Outcome, run } from '@gatehouse/test/programs/run'

/** What a release cannot be made without, in one line for people. */
export class ReleaseFailure extends Error {
  override readonly name = 'ReleaseFailure'
}

/**
 * Runs a program to its end.
 * @param options the directory that it runs in, and variables besides those of this process
 * @returns its standard output, without the white space at its end
 * @throws ReleaseFailure with the end of what it printed
 */
export async function must(
  program: string,
  argv: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { ok, stdout, stderr }: Outcome = await run(program, [...argv], {
    ...options,
    env: { ...process.env, ...options.env },
  })
  if (!ok)
    throw new ReleaseFailure(`${program} ${argv.join(' ')}: ${`${stdout}\n${stderr}`.trim().slice(-3_000)}`)
  return stdout.trimEnd()
}
