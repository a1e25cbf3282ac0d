import { type ClientField, clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { grants, grantTypes } from '@gatehouse/proto/grants'

/** docs/reference/client-metadata.md: every field that a client's metadata document may have. */
export function clientMetadataPage(): string {
  const others = clientFieldEntries.map(([name, field]) => {
    const setBy = field.setBy === 'registration' ? 'anybody' : 'administrators'
    const part = field.openid
      ? 'OpenID Connect'
      : field.certificate
        ? '`tls_client_auth`'
        : field.keys && 'a method with keys'
    const where = part && field.setBy === 'registration' ? ` where ${part} is on` : ''
    const when = field.fixed ? ', at registration only' : ''
    return `| \`${name}\` | ${ruleOf(field)} | ${setBy}${where}${when} | ${field.description} |`
  })
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
    ...others,
    '',
    '`null` takes a field away that need not be there: `PATCH /admin/api/clients/{client_id}` with `{"software_version": null}`.',
    'A new `access_token_lifetime` counts for tokens that are issued from then on; revoke the client’s tokens to end the others.',
  ].join('\n')}\n`
}

function ruleOf(field: ClientField): string {
  switch (field.kind) {
    case 'text':
      if (field.organization) return 'the id of an organization'
      return `${field.resource ? 'an absolute URI' : 'a text'} of at most ${field.maxLength} characters`
    case 'name':
      return `a text of at most ${field.maxLength} visible characters`
    case 'scope':
      return 'words, separated by spaces; `admin` by administrators only'
    case 'grants':
      return `a list of ${grantTypes.map((name) => `\`${name}\` (${grants[name].meaning})`).join('; ')}`
    case 'redirects':
      return `at most ${field.maxItems} URIs`
    case 'texts':
      return `at most ${field.maxItems} texts`
    case 'roles':
      return `at most ${field.maxItems} objects with \`resource\` and \`role\``
    case 'keys':
      return `an object with \`keys\`: at most ${field.maxItems} public keys`
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
