import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

/** The signal that begins and ends a profile. */
export const profileSignal = 'SIGUSR2'

/**
 * In a profiled process, before the service begins: at each first signal begins a CPU profile, at each second one
 * writes it down. Unlike with --cpu-prof, start-up and warm-up are not in it.
 * @param prefix what the files' paths begin with; `-1.cpuprofile` and so on is appended
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

/** Somebody waits for the file: it must appear whole. */
function report(file: string, text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
