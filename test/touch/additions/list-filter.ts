import type { Addition } from '../addition.ts'
import { after } from '../edit.ts'

const store = 'services/client-registry/src/store/resource-servers.ts'
const texts = 'services/console/src/resources/texts.ts'

/** A filter of a list by a column that the table has: resource servers that are open to registration. */
export const listFilter: Addition = {
  name: 'a list filter',
  goal: 3,
  most: 3,
  entry: [
    after(
      'proto/administered/resource-servers.ts',
      `      schema: Type.Boolean({ description: 'Only resource servers that are disabled, or that are not.' }),
    },
`,
      `    open: {
      schema: Type.Boolean({ description: 'Only those that are open to registration, or that are not.' }),
    },
`,
    ),
  ],
  asks: [store, texts],
  rest: [
    after(
      store,
      `    disabled: (is) => \`r."disabledAt" is \${is ? 'not null' : 'null'}\`,
`,
      `    open: (is) => (is ? 'r."openRegistration"' : 'not r."openRegistration"'),
`,
    ),
    after(texts, `      open_registration: 'Open to registration',\n`, `      open: 'Open',\n`),
    after(texts, `      open_registration: 'Offen für Registrierung',\n`, `      open: 'Offen',\n`),
    after(texts, `      open_registration: 'مفتوح للتسجيل',\n`, `      open: 'مفتوح',\n`),
  ],
}
