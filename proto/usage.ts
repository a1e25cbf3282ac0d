/** The periods by which usage is counted, in seconds. */
export const usageSteps = { minute: 60, hour: 3_600, day: 86_400 } as const

/** The name of a period. */
export type UsageStep = keyof typeof usageSteps

/** The names of the periods, the shortest first. */
export const usageStepNames = Object.keys(usageSteps) as UsageStep[]

/** How far back usage is counted by each period, in hours. */
export const usageHistory: Readonly<Record<UsageStep, number>> = { minute: 24, hour: 744, day: 744 }

/**
 * The name of a period of so many seconds, as a request has it; 0 is a minute.
 * @returns undefined for any other length
 */
export function usageStepOf(seconds: number): UsageStep | undefined {
  return usageStepNames.find((name) => usageSteps[name] === (seconds || usageSteps.minute))
}
