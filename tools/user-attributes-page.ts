import { type UserAttribute, userAttributeEntries } from '@gatehouse/proto/people/user-attributes'

/** docs/reference/user-attributes.md: what is known of users, and who may set it. */
export function userAttributesPage(): string {
  const rows = userAttributeEntries.map(([name, attribute]) => {
    const { setBy, scope, description } = attribute
    const who = setBy === 'users' ? 'users and administrators' : 'administrators'
    return `| \`${name}\` | ${ruleOf(attribute)} | ${who} | \`${scope}\` | ${description} |`
  })
  return `${[
    '<!-- Written by npm run generate. Change tools/user-attributes-page.ts or proto/people/user-attributes.ts. -->',
    '',
    '# User attributes',
    '',
    'Besides a name and a password, users have the attributes of OpenID Connect Core section 5.1. All are optional. The user name',
    'is the claim `preferred_username`, and the user id is `sub`.',
    '',
    '| Attribute | Value | Set by | Scope | Meaning |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    'The scope is the one with which an app may see the attribute.',
    '',
    'Every value is normalised (Unicode NFC, no white space around it) before it is checked and stored. E-mail addresses have no',
    'quotes, comments, control characters or compatibility forms of letters.',
    '',
    '## Who changes them',
    '',
    '- Users change theirs on the account page, at `/account/details`. Their e-mail address they change where mail is set up',
    '  ([mail.md](../people/mail.md)): it counts when they have opened the link that the new address gets.',
    '- Administrators change them on the user’s page, by `PATCH /admin/api/users/{user_id}`, where `null` removes an attribute, and by',
    '  `gatehouse users update <user> --email ann@example.com --email-verified true`, where an empty value does. Each change is',
    '  in the audit log with the values before and after.',
    '- A login through a provider fills attributes that the user never had: see [social-login.md](../people/social-login.md).',
    '',
    'A new e-mail address is not verified, unless the change says that it is. Addresses are not unique, and nobody is identified by',
    'one: several users may have the same address.',
    '',
    '## Where they are',
    '',
    'Attributes are in the database of the identity service, in one column of `identity.users`. Old and new values of',
    'administrators’ changes are also in its audit log, whose entries are never deleted. Attributes are never in logs, traces, metrics or',
    'events. Deleting a user deletes their attributes.',
  ].join('\n')}\n`
}

function ruleOf(attribute: UserAttribute): string {
  switch (attribute.kind) {
    case 'text':
      return `a text of at most ${attribute.maxLength} visible characters`
    case 'email':
      return 'an e-mail address of at most 254 bytes'
    case 'boolean':
      return '`true` or `false`'
    case 'picture':
      return 'an https URL'
    case 'language':
      return 'a BCP 47 language tag'
    case 'zone':
      return 'an IANA time zone'
  }
}
