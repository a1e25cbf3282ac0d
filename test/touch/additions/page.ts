import { languageTags } from '@gatehouse/proto/people/languages'
import type { Addition } from '../addition.ts'
import { after, newFile } from '../edit.ts'

const people = 'services/gateway/src/people'
const server = 'services/gateway/src/server.ts'

/** A page for people, with its texts in every language. Their table is generated. */
export const page: Addition = {
  name: 'a page for people',
  goal: languageTags.length + 4,
  most: languageTags.length + 4,
  entry: [],
  asks: [],
  rest: [
    ...languageTags.map((language) => {
      const english = language === 'en'
      return newFile(
        `${people}/texts/house-rules/${language.toLowerCase()}.ts`,
        `${english ? '/** The page of the house rules. */\n' : `import type { Texts } from './en.ts'\n\n`}export const texts = {
  heading: 'House rules: ${language}',
  lead: (brand${english ? ': string' : ''}) => \`They hold for all who use \${brand}.\`,
}${english ? '\n\nexport type Texts = typeof texts' : ' satisfies Texts'}
`,
      )
    }),
    newFile(
      `${people}/templates/house-rules.eta`,
      `<% const t = it.t.houseRules %>
<% layout('./parts/layout', { title: t.heading, ...it }) %>
<h1><%= t.heading %></h1>
<p class="lead"><%~ it.write.strong(t.lead, it.look.name) %></p>
`,
    ),
    after(
      `${people}/pages/contents/page-contents.ts`,
      `  start: Record<never, never>\n`,
      `  'house-rules': Record<never, never>\n`,
    ),
    newFile(
      `${people}/routes/house-rules.ts`,
      `import type { App } from '@gatehouse/http/app'
import { endpoint } from '../../endpoint/endpoint.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'

/** The page of the house rules. */
export const houseRulesPage = endpoint({ name: 'house rules', door: 'people', routes: houseRulesRoute })

function houseRulesRoute(app: App): void {
  pageRoute(app, { url: '/house-rules', handler: (_, reply) => sendPage(reply, 'house-rules', {}) })
}
`,
    ),
    after(
      server,
      `import { factorPages } from './people/routes/factors.ts'\n`,
      `import { houseRulesPage } from './people/routes/house-rules.ts'\n`,
    ),
    after(server, `  startPage,\n  authorizationEndpoint,\n`, `  houseRulesPage,\n`),
  ],
}
