import { hasPlainHost } from '@gatehouse/proto/web-origins'
import type { PageOrganization } from './contents/page-contents.ts'

/** How an organization looks on a page, besides its name. */
export type OrganizationLook = {
  /** The path of the rules of its colour; undefined for that of the server. */
  colorRules: string | undefined
  /** The https address of its logo, and the origin of that, for the Content-Security-Policy. */
  logo: { href: string; origin: string } | undefined
}

/** The path below which the rules of each colour are. */
export const colorPath = '/assets/colors/'

/** The look of an organization. It leaves out what is no colour, and an address that is not https or that no policy can name. */
export function lookOf({ color, logoUri }: Pick<PageOrganization, 'color' | 'logoUri'>): OrganizationLook {
  const logo = logoUri === undefined ? null : URL.parse(logoUri)
  return {
    colorRules:
      color !== undefined && /^#[\da-f]{6}$/.test(color) ? `${colorPath}${color.slice(1)}.css` : undefined,
    logo:
      logo?.protocol === 'https:' && hasPlainHost(logo)
        ? { href: logo.href, origin: logo.origin }
        : undefined,
  }
}
