// Generated from the folders of services/identity/src/providers: npm run generate.

/** The providers where people log in, by their names in addresses, variables and accounts. */
export const upstreamProviders: Readonly<
  Record<string, { title: string; aliases: readonly string[]; reauthenticates: boolean }>
> = {
  google: { title: 'Google', aliases: [], reauthenticates: true },
  microsoft: { title: 'Microsoft', aliases: ['azure'], reauthenticates: true },
  github: { title: 'GitHub', aliases: [], reauthenticates: false },
}

/** The names of all providers. */
export const upstreamProviderNames: readonly string[] = Object.keys(upstreamProviders)
