import { authenticationMethods } from '@gatehouse/proto/client-authentication'
import { type ClientField, clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { grants, grantTypes } from '@gatehouse/proto/grants'

/** docs/reference/client-metadata.md: every field that a client's metadata document may have. */
export function clientMetadataPage(): string {
  const others = clientFieldEntries.map(([name, field]) => {
    const setBy = field.setBy === 'anybody' ? 'anybody' : 'administrators'
    const where = field.openid && field.setBy === 'anybody' ? ' where OpenID Connect is on' : ''
    return `| \`${name}\` | ${ruleOf(field)} | ${setBy}${where} | ${field.description} |`
  })
  const methods = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
    authenticationMethods.map((name) => `\`${name}\``),
  )
  const meanings = grantTypes.map((name) => `\`${name}\` (${grants[name].meaning})`).join('; ')
  return `${[
    '<!-- Written by npm run generate. Change tools/client-metadata-page.ts or proto/client-metadata.ts. -->',
    '',
    '# Client metadata',
    '',
    'What Gatehouse knows of a client is its metadata document (RFC 7591 section 2). `POST /clients/register` takes and answers it,',
    'and so do `/admin/api/clients`, the pages and `gatehouse clients`. Fields that are not in this list are ignored at',
    'registration, and refused by name where administrators send them. [registration.md](../apps/registration.md) says how clients register',
    'and change themselves.',
    '',
    '| Field | Value | Set by | Meaning |',
    '|---|---|---|---|',
    '| `client_name` | a text of at most 200 visible characters | anybody | The name that people see when they are asked for consent. By default the client id. |',
    '| `redirect_uris` | at most 20 URIs | anybody | The addresses to which codes may be sent. Required for `authorization_code`. |',
    `| \`grant_types\` | a list | anybody | ${meanings}. By default \`authorization_code\`. |`,
    '| `scope` | words, separated by spaces | anybody; `admin` by administrators only | The scopes that it may ask for. By default `read`. |',
    `| \`token_endpoint_auth_method\` | ${methods} | anybody, at registration only | How it authenticates. \`none\`: it has no secret, where \`OAUTH2_PUBLIC_CLIENTS_ENABLED\` allows that. |`,
    '| `first_party` | `true` or `false` | administrators | Users are not asked for their consent. |',
    ...others,
    '',
    '`null` takes a field away that need not be there: `PATCH /admin/api/clients/{client_id}` with `{"software_version": null}`.',
    'A new `access_token_lifetime` counts for tokens that are issued from then on; revoke the client’s tokens to end the others.',
  ].join('\n')}\n`
}

function ruleOf(field: ClientField): string {
  switch (field.kind) {
    case 'text':
      return `${field.resource ? 'an absolute URI' : 'a text'} of at most ${field.maxLength} characters`
    case 'texts':
      return `at most ${field.maxItems} texts`
    case 'boolean':
      return '`true` or `false`'
    case 'choice':
      return `one of ${field.choices.map((choice) => `\`${choice}\``).join(', ')}`
    case 'url':
      return field.called ? 'an https URL' : 'an http or https URL'
    case 'urls':
      return `at most ${field.maxItems} ${field.origins ? 'origins' : 'URLs'}`
    case 'integer':
      return `from ${field.minimum} to ${field.maximum} ${field.unit}`
  }
}
