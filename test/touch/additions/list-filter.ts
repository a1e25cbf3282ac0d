import type { Addition } from '../addition.ts'
import { after, instead } from '../edit.ts'

const console = 'services/console/src/resources/resource-list.tsx'
const route = 'services/admin-api/src/routes/resources.ts'
const domain = 'services/client-registry/src/resource-servers/resource-server-list.ts'
const store = 'services/client-registry/src/store/resource-servers.ts'

/** A filter of a list by a column that the table has: resource servers that are open to registration. */
export const listFilter: Addition = {
  name: 'a list filter',
  goal: 3,
  most: 6,
  entry: [
    after(
      route,
      `        Type.Boolean({ description: 'Only resource servers that are disabled, or that are not.' }),
      ),
`,
      `      open_registration: Type.Optional(
        Type.Boolean({ description: 'Only resource servers that are open to registration, or that are not.' }),
      ),
`,
    ),
    instead(
      route,
      `    async find({ search = '', sort = '', identifier = '', ...wanted }) {
      const request = { search, sort, identifier, ...wanted }
`,
      `    async find({ search = '', sort = '', identifier = '', open_registration: openRegistration, ...wanted }) {
      const request = { search, sort, identifier, openRegistration, ...wanted }
`,
    ),
  ],
  // Not the console, and not the service: a filter that it does not know is ignored.
  asks: ['deploy/cli/src/commands/resources.ts'],
  rest: [
    after(
      'proto/gatehouse/clientregistry/v1/clientregistry.proto',
      `  // Only the resource server with exactly this identifier; empty for all.
  string identifier = 6;
`,
      `  // Only resource servers that are open to registration, or that are not; absent for all.
  optional bool open_registration = 7;
`,
    ),
    after(
      domain,
      `export type ResourceServerFilter = {
  disabled?: boolean | undefined
`,
      `  openRegistration?: boolean | undefined
`,
    ),
    instead(
      store,
      `  conditions: ({ disabled, identifier }, parameter) => [
`,
      `  conditions: ({ disabled, openRegistration, identifier }, parameter) => [
    ...(openRegistration === undefined ? [] : [\`r."openRegistration" = \${parameter(openRegistration)}\`]),
`,
    ),
    after(
      'deploy/cli/src/commands/resources.ts',
      `    disabled: filter('disabled', 'only resource servers that are disabled, or that are not'),
`,
      `    open_registration: filter('open-registration', 'only those that are open to registration, or that are not'),
`,
    ),
    after(
      console,
      `export function ResourceList() {
  const t = useTexts(resourceTexts)
`,
      `  const common = useTexts(commonTexts)
  const booleans = [
    { value: 'true', label: common.yes },
    { value: 'false', label: common.no },
  ]
`,
    ),
    instead(
      console,
      `    filters: [disabling.filter],
`,
      `    filters: [
      disabling.filter,
      { name: 'open_registration', label: t.openRegistration, kind: 'choice', choices: booleans },
    ],
`,
    ),
  ],
}
