/** The page at the address of the server. */
export const texts = {
  lead: 'Log in to apps with one account.',
  account: 'Your account',
  accountText: 'Your profile, password, second factors and apps.',
  console: 'Console',
  consoleText: 'For administrators: apps, users and activity.',
  documentation: 'Documentation',
  documentationText: 'How to build apps on this server, run it and administer it. In English.',
  api: 'API reference',
  apiText: 'For developers: every endpoint, to read and to try.',
  metadata: 'Server metadata',
  metadataText: 'For client libraries: the addresses of all endpoints.',
}

/** These texts in one language. */
export type Texts = typeof texts
