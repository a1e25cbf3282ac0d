import type { Addition } from '../addition.ts'
import { after } from '../edit.ts'

const definition = 'proto/administered/resource-servers.ts'
const texts = 'services/console/src/resources/texts.ts'

/** A column of a list that the table has and the API does not give: since when a resource server is disabled. */
export const listColumn: Addition = {
  name: 'a list column',
  goal: 2,
  most: 2,
  entry: [
    after(
      definition,
      `    disabled: {},
`,
      `    disabled_at: {
      carried: Type.String({ format: 'date-time', description: 'When the resource server was disabled.' }),
    },
`,
    ),
    after(definition, `scopes: 'scopes', disabled: 'disabled'`, `, 'disabled since': 'disabled_at'`),
  ],
  asks: [texts],
  rest: [
    after(texts, `      token_lifetime: 'Token lifetime',\n`, `      disabled_at: 'Disabled since',\n`),
    after(
      texts,
      `      token_lifetime: 'Gültigkeit der Tokens',\n`,
      `      disabled_at: 'Deaktiviert seit',\n`,
    ),
    after(texts, `      token_lifetime: 'مدة صلاحية الرموز',\n`, `      disabled_at: 'معطَّل منذ',\n`),
  ],
}
