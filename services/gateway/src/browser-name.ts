import Bowser from 'bowser'

const browsers: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP))

/**
 * Describes a browser, so that people can tell their sessions apart.
 * @param userAgent the User-Agent header, which may hold anything
 */
export function browserName(userAgent: string): string {
  if (userAgent === '') return 'An unknown program'
  const { browser, os, platform } = Bowser.parse(userAgent)
  const device = platform.model ?? os.name
  // Bowser calls a browser that it does not know by whatever the header says.
  if (!browsers.has(browser.name ?? '')) return device ? `A program on ${device}` : 'An unknown program'
  return device ? `${browser.name} on ${device}` : `${browser.name}`
}
