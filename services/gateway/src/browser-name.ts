import Bowser from 'bowser'

const browsers: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP))

/**
 * A browser in words, so that people can tell their sessions apart.
 * @param userAgent the header of that name; it may say anything
 */
export function browserName(userAgent: string): string {
  if (userAgent === '') return 'An unknown program'
  const { browser, os, platform } = Bowser.parse(userAgent)
  const device = platform.model ?? os.name
  // What bowser does not know, it calls by whatever that calls itself.
  if (!browsers.has(browser.name ?? '')) return device ? `A program on ${device}` : 'An unknown program'
  return device ? `${browser.name} on ${device}` : `${browser.name}`
}
