import { readFileSync } from 'node:fs'

/** The pages that show a program, and the program, which the tests run. */
const quoted: Readonly<Record<string, string>> = {
  'docs/mcp.md': 'test/clients/mcp-server.ts',
  'docs/tutorial-express.md': 'test/clients/express-app.js',
}

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** Functions that give each of these pages as it is, but with its program as the block of code of that language. */
export const quotingPages: Readonly<Record<string, () => string>> = Object.fromEntries(
  Object.entries(quoted).map(([page, program]) => {
    const language = program.split('.').at(-1)
    const block = new RegExp(`(?<=^\`\`\`${language}\\n).*?(?=^\`\`\`$)`, 'ms')
    return [page, () => textOf(page).replace(block, () => textOf(program))]
  }),
)
