import { upstreamProviders } from '../services/identity/src/providers/table.ts'

/** proto/upstream-providers.ts: what the other processes know of the providers of logins, each of which is a folder of identity. */
export function upstreamProvidersFile(): string {
  const entries = upstreamProviders.map(({ name, title, aliases = [], reauthenticates }) => {
    const names = aliases.map((alias) => `'${alias}'`).join(', ')
    return `  ${name}: { title: '${title}', aliases: [${names}], reauthenticates: ${reauthenticates} },\n`
  })
  return `// Generated from the folders of services/identity/src/providers: npm run generate.

/** The providers where people log in, by their names in addresses, variables and accounts. */
export const upstreamProviders: Readonly<
  Record<string, { title: string; aliases: readonly string[]; reauthenticates: boolean }>
> = {
${entries.join('')}}

/** The names of all providers. */
export const upstreamProviderNames: readonly string[] = Object.keys(upstreamProviders)
`
}
