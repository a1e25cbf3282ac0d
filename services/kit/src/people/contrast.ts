/** The contrast that text needs to be readable for people with low vision (WCAG 2.2, success criterion 1.4.3). */
export const readableContrast = 4.5

/** Red, green and blue, each from 0 to 255. */
type Channels = readonly [number, number, number]

/**
 * The contrast of two colours (WCAG 2.2), from 1 to 21.
 * @param one as #rrggbb, as all colours here
 */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The colour of readable text on a background: white where that is enough, else black. */
export function textColorOn(background: string): '#ffffff' | '#000000' {
  return contrastOf('#ffffff', background) >= readableContrast ? '#ffffff' : '#000000'
}

/**
 * The colour itself if it is readable on all of these backgrounds; else mixed with as much black or white as that takes.
 * @param toward black on light backgrounds, white on dark ones
 */
export function readableOn(
  backgrounds: readonly string[],
  color: string,
  toward: '#000000' | '#ffffff',
): string {
  const shares = Array.from({ length: 51 }, (_, step) => step / 50)
  const mixed = shares.map((share) => mix(color, toward, share))
  const readable = (candidate: string) =>
    backgrounds.every((background) => contrastOf(candidate, background) >= readableContrast)
  return mixed.find(readable) ?? toward
}

/**
 * Mixes two colours.
 * @param share of the other colour, from 0 to 1
 */
export function mix(color: string, other: string, share: number): string {
  const added = channelsOf(other)
  const mixed = channelsOf(color).map((value, index) => value + ((added[index] ?? 0) - value) * share)
  return `#${mixed.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`
}

/** The relative luminance of sRGB, from 0 to 1. */
function luminanceOf(color: string): number {
  const [red, green, blue] = channelsOf(color).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(color: string): Channels {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number]
}
