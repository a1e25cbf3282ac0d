import { readFileSync } from 'node:fs'

const page = new URL('../../docs/mcp.md', import.meta.url)
const server = new URL('../clients/mcp-server.ts', import.meta.url)

/** docs/mcp.md as it is, but with the MCP server that the tests run as its block of TypeScript. */
export function mcpPage(): string {
  const code = readFileSync(server, 'utf8')
  return readFileSync(page, 'utf8').replace(/(?<=^```ts\n).*?(?=^```$)/ms, () => code)
}
