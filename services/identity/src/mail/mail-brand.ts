import { type BrandVariables, brandOf } from '@gatehouse/kit/people/brand'
import { textColorOn } from '@gatehouse/kit/people/contrast'

/** How the server looks to people in mails. */
export type MailBrand = {
  name: string
  /** An https address; undefined for the name alone. Mail programs show no data: addresses. */
  logoUrl: string | undefined
  /** The colour of buttons, and that of the text on them, as #rrggbb. */
  color: string
  textColor: string
  termsUrl: string | undefined
  privacyUrl: string | undefined
  supportUrl: string | undefined
}

/**
 * The brand of mails.
 * @throws ConfigurationError
 */
export function mailBrand(config: BrandVariables): MailBrand {
  // The default is the colour of the pages in the light.
  const { color = '#0b5cad', ...brand } = brandOf(config)
  return { ...brand, color, textColor: textColorOn(color) }
}
