import type { Static } from '@gatehouse/proto/typebox'
import type { brandVariables } from '@gatehouse/proto/variables'
import { ConfigurationError } from '../config/configuration-error.ts'
import { visibleTextFault } from './visible-text.ts'

/** The values of the variables of the brand. */
export type BrandVariables = {
  readonly [Name in keyof typeof brandVariables]?: Static<(typeof brandVariables)[Name]> | undefined
}

/** How the server looks to people: on its pages, and in its mails. */
export type Brand = {
  name: string
  /** https addresses. */
  logoUrl: string | undefined
  termsUrl: string | undefined
  privacyUrl: string | undefined
  supportUrl: string | undefined
  /** As #rrggbb; undefined for the colours that the server has by itself. */
  color: string | undefined
}

/**
 * Reads the brand.
 * @throws ConfigurationError when the name cannot be seen, or an address cannot be one
 */
export function brandOf(config: BrandVariables): Brand {
  const name = config.OAUTH2_BRAND_NAME ?? 'Gatehouse'
  const fault = visibleTextFault(name)
  if (fault !== undefined)
    throw new ConfigurationError(`OAUTH2_BRAND_NAME must be a text that people can see; it ${fault}`)
  return {
    name,
    logoUrl: addressIn(config, 'OAUTH2_BRAND_LOGO_URL'),
    termsUrl: addressIn(config, 'OAUTH2_BRAND_TERMS_URL'),
    privacyUrl: addressIn(config, 'OAUTH2_BRAND_PRIVACY_URL'),
    supportUrl: addressIn(config, 'OAUTH2_BRAND_SUPPORT_URL'),
    color: config.OAUTH2_BRAND_COLOR?.toLowerCase(),
  }
}

function addressIn(config: BrandVariables, name: keyof BrandVariables): string | undefined {
  const text = config[name]
  if (text === undefined) return undefined
  // The pattern of the variable lets a port of 99999 pass.
  if (!URL.canParse(text)) throw new ConfigurationError(`${name} must be an https:// URL; it is ${text}`)
  return new URL(text).href
}
