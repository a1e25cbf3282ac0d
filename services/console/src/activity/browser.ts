const browsers: readonly (readonly [name: string, mark: RegExp])[] = [
  // Most browsers also say that they are Chrome, and Chrome that it is Safari.
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/.*\bSafari\//],
  ['curl', /^curl\//],
  ['Node.js', /^(node|undici)\b/i],
  ['Python', /^python-/i],
  ['Go', /^Go-http-client\//],
]
const devices: readonly (readonly [name: string, mark: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]

/** Reads a User-Agent header in short; undefined where it says nothing that is known. */
export function browserOf(userAgent: string): { name: string | undefined; device: string | undefined } {
  const find = (table: typeof browsers) => table.find(([, mark]) => mark.test(userAgent))?.[0]
  return { name: find(browsers), device: find(devices) }
}
