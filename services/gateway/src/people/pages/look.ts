import type { Brand } from '@gatehouse/kit/people/brand'
import { mix, readableOn, textColorOn } from '@gatehouse/kit/people/contrast'
import { type Asset, assets, stylesheetWith } from '../../http/assets.ts'

/** How the pages for people look: the brand, ready for templates. */
export type Look = Brand & {
  stylesheet: Asset
  /** Where the logo is loaded from, for the Content-Security-Policy. */
  logoOrigin: string | undefined
}

/** Prepares the look of the pages. */
export function createLook(brand: Brand): Look {
  const { color, logoUrl } = brand
  return {
    ...brand,
    stylesheet: color === undefined ? assets.stylesheet : stylesheetWith(rulesFor(color)),
    logoOrigin: logoUrl && new URL(logoUrl).origin,
  }
}

/** The surfaces behind links and quiet buttons, as in style.css: `--surface` and `--page`. */
const surfaces = { light: ['#ffffff', '#f4f5f7'], dark: ['#171c23', '#0f1318'] }

/** A brand's colour as custom properties: as it is behind the words of buttons, and as readable as it must be as text. */
export function rulesFor(color: string): string {
  const onButton = textColorOn(color)
  const away = onButton === '#ffffff' ? '#000000' : '#ffffff'
  const properties = (accent: string, strong: string) =>
    `--accent:${accent};--accent-strong:${strong};--button:${color};--button-strong:${mix(color, away, 0.15)};--on-button:${onButton}`
  const light = readableOn(surfaces.light, color, '#000000')
  const dark = readableOn(surfaces.dark, color, '#ffffff')
  return [
    `:root{${properties(light, mix(light, '#000000', 0.25))}}`,
    `@media (prefers-color-scheme: dark){:root{${properties(dark, mix(dark, '#ffffff', 0.25))}}}`,
    '',
  ].join('\n')
}
