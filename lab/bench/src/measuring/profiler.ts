import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

/** The signal that begins and ends a profile. */
export const profileSignal = 'SIGUSR2'

/**
 * Runs in a profiled process before the service starts. The first signal begins a CPU profile, the next one writes it to a file, and
 * so on. Unlike with --cpu-prof, start-up and warm-up are not in it.
 * @param prefix the beginning of the files' paths, to which `-1.cpuprofile` and so on is appended
 */
export function profileOnSignal(prefix: string): void {
  const session = new Session()
  session.connect()
  let profiles = 0
  let running = false
  let work = session.post('Profiler.enable')

  async function begin(): Promise<void> {
    await session.post('Profiler.start')
    profiles++
    report(`${prefix}-${profiles}.started`, '')
  }

  async function end(): Promise<void> {
    const { profile } = await session.post('Profiler.stop')
    report(`${prefix}-${profiles}.cpuprofile`, JSON.stringify(profile))
  }

  process.on(profileSignal, () => {
    work = work.then(running ? end : begin)
    running = !running
  })
}

/** Another process waits for the file, so it must appear complete. */
function report(file: string, text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
