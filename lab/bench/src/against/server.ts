import type { Watched } from '../measuring/usage.ts'

/** The steps that are measured of each server, in this order: each of the user's steps uses the result of the one before. */
export const steps = ['issue', 'introspect', 'authorize', 'redeem', 'refresh', 'login'] as const
export type Step = (typeof steps)[number]

/** A code that an app got, and the verifier with which it is redeemed. */
export type GivenCode = { code: string; verifier: string }

/** A server that is compared. */
export type ComparedServer = {
  title: string
  /** How it runs, for the reader: what its own guide recommends, and what differs from that. */
  setup: string
  /** The least time for which it works before it is measured, in seconds: the Java VM compiles what runs often. */
  warmUpSeconds?: number
  /** Why it has none of a step's figures. */
  without?: Partial<Record<Step, string>>
  /**
   * Builds or downloads what is needed, once.
   * @returns the programs that are missing on this machine; undefined when it can start
   */
  prepare(tell: (line: string) => void): Promise<string | undefined>
  /**
   * Starts it with an empty database.
   * @throws BenchFailure when it does not start
   */
  start(deps: StartDeps): Promise<RunningServer>
}

/** The needs of starting a server. */
export type StartDeps = {
  /** An empty directory, on a disk. */
  directory: string
  /** Stops it. */
  stack: AsyncDisposableStack
  signal: AbortSignal
  tell(line: string): void
}

/** A server that runs, with an app and people who have an account. */
export type RunningServer = {
  version: string
  /** All its processes, and PostgreSQL where it uses it. */
  watched: Watched[]
  /** Asks for a token by client_credentials. */
  issue: { url: string; form: string }
  /** Asks whether tokens are active. */
  introspect: { url: string; formOf(token: string): string }
  /** Logs somebody in who agrees to the app, as far as they are asked. @returns the cookies of their browser */
  beginSession(number: number): Promise<string>
  /** Gets a code for somebody who is logged in and agreed before. @param cookie of `beginSession` */
  authorize(cookie: string): Promise<GivenCode>
  /** Redeems a code. @returns the refresh token */
  redeem(code: GivenCode): Promise<string>
  /** @returns the next refresh token */
  refresh(token: string): Promise<string>
  /** A whole login in a new browser, from the app's request to its token; absent where it checks no passwords. */
  logIn?(number: number): Promise<unknown>
  /** @throws BenchFailure when a process has ended by itself */
  checkAlive(): void
}
