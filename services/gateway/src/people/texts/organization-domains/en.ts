/** The page of the domains of an organization. */
export const texts = {
  heading: 'Domains',
  lead: 'The organization proves that a domain is its own by a TXT record in the DNS. Until then, the domain means nothing here.',
  add: 'Add a domain',
  domain: 'Domain',
  submit: 'Add the domain',
  none: 'The organization has no domains yet.',
  states: {
    unproven: 'not proven',
    proven: 'proven',
    missing: 'record missing',
    lost: 'lost',
  },
  record:
    'Create this TXT record where you manage the DNS of the domain, and leave it there: it is looked for every day.',
  recordName: 'Name',
  recordValue: 'Value',
  provenAt: (time: string) => `proven ${time}`,
  checkedAt: (time: string) => `last checked ${time}`,
  missingSince: (time: string) =>
    `The record has been missing since ${time}. After seven days, the organization loses the domain.`,
  lost: 'The record was missing for seven days. Create it again and check it to get the domain back.',
  check: 'Check now',
  remove: 'Remove',
  removal: {
    title: (domain: string) => `Remove ${domain}`,
    lead: 'The organization no longer has the domain, and another organization may prove it.',
    submit: 'Remove the domain',
  },
  gone: 'The organization does not have this domain any more.',
  problems: {
    invalid: 'Enter a domain, such as example.com.',
    publicSuffix:
      'Anybody can register a domain below this one, so nobody can prove it. Enter a domain of your own.',
    tooMany: 'The organization has as many domains as it may have. Remove one first.',
    missing: 'The record was not found. A new one may take an hour to be seen.',
    taken: 'The record is there, but another organization has this domain. It must remove the domain first.',
    noAnswer: 'The DNS did not answer. Please try again later.',
    tooSoon: 'This was checked just now. Please wait ten seconds.',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
