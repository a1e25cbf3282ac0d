import { type Browser, chromium } from 'playwright-core'
import { program } from '../programs/programs.ts'

/** Chromium has no sandbox for root, and must not call any server but the one under test. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let shared: Promise<Browser> | undefined

/**
 * A browser without a window for the test files of a worker, one after the other, since a start takes a second of a core. Close
 * the contexts that you open; the browser ends with the worker.
 * @throws Error when Chromium is missing; test files call `program('chromium')` first and are skipped without it
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser()
  return shared
}

/**
 * Starts Chromium without a window. Close it at the end.
 * @throws Error when Chromium is missing; test files call `program('chromium')` first and are skipped without it
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await program('chromium')
  if (!executablePath) throw new Error('chromium is missing')
  return chromium.launch({ executablePath, headless: true, args: flags })
}
