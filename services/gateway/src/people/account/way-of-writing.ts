/** The attributes that say how a page for the user is written. */
export function wayOfWriting({ locale, zoneinfo }: Readonly<Record<string, unknown>>): {
  locale: string | undefined
  zoneinfo: string | undefined
} {
  return {
    locale: typeof locale === 'string' ? locale : undefined,
    zoneinfo: typeof zoneinfo === 'string' ? zoneinfo : undefined,
  }
}
