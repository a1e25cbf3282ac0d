/** Runs a few pieces of work at once. */
export type AtOnce = {
  /** Waits until there is room, and begins the work. @throws the error of an earlier piece of work */
  begin(work: () => Promise<void>): Promise<void>
  /** Waits until all work has ended. @throws the error of one of them */
  end(): Promise<void>
}

/** @param most how many pieces of work run at once */
export function atOnce(most: number): AtOnce {
  const running = new Set<Promise<void>>()
  const failures: unknown[] = []
  const check = () => {
    if (failures.length > 0) throw failures[0]
  }
  return {
    async begin(work) {
      while (running.size >= most) await Promise.race(running)
      check()
      const one: Promise<void> = work()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(one))
      running.add(one)
    },
    async end() {
      await Promise.all(running)
      check()
    },
  }
}
