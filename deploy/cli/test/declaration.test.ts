import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readDeclaration } from '../src/declaration/file.ts'
import { expand, withoutVariables } from '../src/declaration/variables.ts'

const environment = { GATEHOUSE_NAME: 'Shop', HOME: '/home/ann', TOKEN: 'secret' }

/** The objects that a file declares; a failure as its message. */
async function read(content: string, allowed: string[] = []) {
  const variables = { environment, allowed }
  const declared = await readDeclaration(['-'], variables, {
    input: Readable.from([content]) as never,
  }).catch((error: unknown) => error as Error & { exitCode: number })
  if (declared instanceof Error) {
    expect(declared).toMatchObject({ name: 'CommandFailure', exitCode: 2 })
    return declared.message
  }
  return Object.fromEntries([...declared].map(([{ section }, items]) => [section, items]))
}
const inBraces = (name: string) => `\${${name}}`
const client = (field: string) => `clients: [{ client_id: a, ${field} }]`

test.each([
  [inBraces('GATEHOUSE_NAME'), [], 'Shop'],
  [`$${inBraces('GATEHOUSE_NAME')}`, [], inBraces('GATEHOUSE_NAME')],
  [`in ${inBraces('HOME')}`, ['TOKEN', 'HOME'], 'in /home/ann'],
])('a text %s is read with %j', async (text, allowed, client_name) => {
  const clients = [{ client_id: 'a', client_name }]
  expect(await read(client(`client_name: "${text}"`), allowed)).toEqual({
    clients,
    resource_servers: [],
    organizations: [],
    connections: [],
  })
})

test.each([
  [
    'TOKEN',
    [],
    'may not be read: only those that begin with GATEHOUSE_ may, or that you allow with --variable TOKEN',
  ],
  ['gatehouse_name', [], 'may not be read'],
  ['MY_GATEHOUSE_NAME', ['TOKEN'], 'may not be read'],
  ['toString', ['toString'], 'is not set'],
  ['GATEHOUSE_NONE', [], 'is not set'],
  ['GATEHOUSE_PASSWORD', [], 'is how this command logs in: allow it with --variable GATEHOUSE_PASSWORD'],
  ['GATEHOUSE_PASSWORD', ['GATEHOUSE_PASSWORD'], 'is not set'],
])('the variable %s is not read with %j', async (name, allowed, fault) => {
  const message = await read(client(`redirect_uris: ["\${${name}}"]`), allowed)
  expect(message).toContain(`-: clients[0]: the variable ${name} ${fault}`)
})

test.each([
  inBraces('HOME'),
  `$${inBraces('HOME')}`,
  `$$${inBraces('HOME')}`,
  `in ${inBraces('HOME')}`,
  '$',
  inBraces(''),
])('an exported text %s is applied as it is', (text) => {
  const nothing = { environment: {}, allowed: [] }
  const value = { client_name: text, contacts: [text], first_party: true }
  expect(expand(withoutVariables(value), nothing, (fault) => expect.unreachable(fault))).toEqual(value)
})

const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]', ...'bcdefghi'].map((name, index, all) =>
  index === 0 ? name : `${name}: &${name} [${Array(9).fill(`*${all[index - 1]?.[0]}`)}]`,
)
const deep = (levels: number) => `contacts: ${'['.repeat(levels)}${']'.repeat(levels)}`

test.each([
  ['an alias bomb', bomb.join('\n'), 'its aliases (*name) repeat too much: write out what they stand for'],
  ['an unknown alias', client('client_name: *none'), 'Unresolved alias'],
  ['an alias in what it stands for', client('contacts: &x [*x, *x]'), 'an alias stands for what it is in'],
  ['a deep value', client(deep(200)), 'nested more than 100 levels deep'],
  ['a very deep value', client(deep(10_000)), 'it is nested too deeply'],
  ['two documents', 'clients: []\n---\nclients: []', 'multiple documents'],
  ['what is no YAML', 'clients: [', 'Flow sequence'],
  ['a text', 'clients', 'The file must be a mapping'],
])('%s ends in one line', async (_, content, fault) => {
  const message = await read(content)
  expect(message).toContain(fault)
  expect(message).not.toContain('\n')
})

test('an object that is declared twice is refused', async () => {
  expect(await read('clients: [{ client_id: a }, { client_id: b }, { client_id: a }]')).toBe(
    '-: clients[2]: another client has the same client_id, a',
  )
})

test('two connections may have one name in different organizations alone', async () => {
  const connection = (organization: string) => `{ name: Okta, kind: oidc${organization} }`
  const [own, acme] = [connection(''), connection(', organization: acme')]
  expect(await read(`connections: [${own}, ${acme}]`)).toMatchObject({ connections: [{}, {}] })
  expect(await read(`connections: [${acme}, ${acme}]`)).toBe(
    '-: connections[1]: another connection has the same name, acme/Okta',
  )
})
