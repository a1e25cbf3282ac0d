import type { Addition } from '../addition.ts'
import { after, instead } from '../edit.ts'

const body = 'services/admin-api/src/resource-server-body.ts'
const domain = 'services/client-registry/src/resource-servers/resource-server.ts'
const rows = 'services/client-registry/src/store/resource-server-rows.ts'
const texts = 'services/console/src/resources/texts.ts'

/** A column of a list that the table has and the API does not give: since when a resource server is disabled. */
export const listColumn: Addition = {
  name: 'a list column',
  goal: 2,
  most: 7,
  // Nothing asks for a column: a list shows what it names.
  entry: [],
  asks: [],
  rest: [
    after(
      'proto/gatehouse/clientregistry/v1/clientregistry.proto',
      `  // Changes with every change of the resource server.
  uint64 revision = 10;
`,
      `  // Absent while it is enabled.
  google.protobuf.Timestamp disabled_at = 11;
`,
    ),
    after(
      domain,
      `  disabled: boolean
`,
      `  /** undefined: it is enabled. */
  disabledAt: Date | undefined
`,
    ),
    instead(
      domain,
      `Omit<ResourceServer, 'resourceId' | 'disabled' | 'createdAt' | 'revision'>`,
      `Omit<
  ResourceServer,
  'resourceId' | 'disabled' | 'disabledAt' | 'createdAt' | 'revision'
>`,
    ),
    instead(
      rows,
      `Omit<ResourceServer, 'disabled' | 'scopes' | 'tokenLifetime' | 'clientId'>`,
      `Omit<
  ResourceServer,
  'disabled' | 'disabledAt' | 'scopes' | 'tokenLifetime' | 'clientId'
>`,
    ),
    after(
      rows,
      `    disabled: disabledAt !== null,
`,
      `    disabledAt: disabledAt ?? undefined,
`,
    ),
    after(
      body,
      `    disabled: Type.Boolean(),
`,
      `    disabled_at: Type.Optional(moment('When the resource server was disabled.')),
`,
    ),
    after(
      body,
      `    disabled: resourceServer.disabled,
`,
      `    ...(resourceServer.disabledAt && { disabled_at: momentOf(resourceServer.disabledAt) }),
`,
    ),
    after(
      'deploy/cli/src/commands/resources.ts',
      `    disabled: 'disabled',
`,
      `    'disabled since': 'disabled_at',
`,
    ),
    after(
      'services/console/src/resources/resource-list.tsx',
      `    state,
`,
      `    {
      name: 'disabled_at',
      label: t.disabledAt,
      cell: ({ disabled_at: at }) => (at ? <Moment at={at} /> : '–'),
    },
`,
    ),
    // A fixture that has every field of the message.
    instead(
      'services/gateway/test/people/routes/account-data.test.ts',
      `createdAt: at(1), revision: 1n },`,
      `createdAt: at(1), revision: 1n, disabledAt: undefined },`,
    ),
    after(texts, `    openRegistration: 'Open to registration',\n`, `    disabledAt: 'Disabled since',\n`),
    after(
      texts,
      `    openRegistration: 'Offen für Registrierung',\n`,
      `    disabledAt: 'Deaktiviert seit',\n`,
    ),
    after(texts, `    closeTitle: 'إغلاق أمام التسجيل؟',\n`, `    disabledAt: 'معطَّل منذ',\n`),
  ],
}
