import { loadConfig } from '@gatehouse/kit/config/load-config'
import { Type } from '@gatehouse/proto/typebox'
import { expect, test } from 'vitest'
import { socialVariables } from '../../src/providers/table.ts'

test.each([
  'OAUTH2_GOOGLE_ISSUER',
  'OAUTH2_MICROSOFT_ISSUER',
  'OAUTH2_GITHUB_BASE_URL',
  'OAUTH2_GITHUB_API_URL',
])('%s has no user name, and the message shows no password', (name) => {
  const schema = Type.Object(socialVariables)
  const load = (value: string) => loadConfig(schema, { [name]: value })
  expect(() => load('https://ann:hunter2@id.example/x')).toThrow(
    `${name} must have no user name and no password`,
  )
  expect(() => load('https://ann:hunter2@id.example/x?y')).toThrow(
    /without query and fragment; its value has 34 characters$/,
  )
  expect(() => load('https://id.example:99999/')).toThrow(`${name} must be a URL with a valid host`)
  expect(load('https://id.example/@team')).toMatchObject({ [name]: 'https://id.example/@team' })
})
