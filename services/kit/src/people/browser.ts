import Bowser from 'bowser'

const browsers: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP))

/** The browser and the device that a User-Agent header names; undefined where it names none that is known. */
export type Browser = { name: string | undefined; device: string | undefined }

/**
 * Reads a User-Agent header, so that people can tell browsers apart.
 * @param userAgent the header, which may hold anything
 */
export function browserOf(userAgent: string): Browser {
  if (userAgent === '') return { name: undefined, device: undefined }
  const { browser, os, platform } = Bowser.parse(userAgent)
  // Bowser calls a browser that it does not know by whatever the header says.
  const name = browsers.has(browser.name ?? '') ? browser.name : undefined
  return { name, device: platform.model ?? os.name }
}
