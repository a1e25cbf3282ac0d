/** Passkeys and second factors: their section of the account page, and the pages that change and remove them. */
export const texts = {
  account: {
    heading: 'Passkeys and second factors',
    none: 'Your account is protected by a password only.',
    created: (time: string) => `since ${time}`,
    used: (time: string) => `last used ${time}`,
    synced: 'on several devices',
    change: 'Change',
    changeNamed: (name: string) => `Change the passkey ${name}`,
    addPasskey: 'Add a passkey',
    app: 'Authenticator app',
    addApp: 'Set up an authenticator app',
    replaceApp: 'Set up another app',
    remove: 'Remove',
    removeApp: 'Remove the authenticator app',
    codes: 'Recovery codes',
    codesLeft: (left: number) => `codes left: ${left}`,
    renewCodes: 'Make new recovery codes',
    done: {
      'passkey-added': 'Your passkey is added.',
      'app-added': 'Your authenticator app is set up.',
      'passkey-renamed': 'The passkey has a new name.',
      'factor-removed': 'It is removed and can no longer be used to log in.',
    },
  },
  change: {
    passkey: 'Change a passkey',
    name: 'Name',
    save: 'Save',
    removePasskey: 'Remove this passkey',
    removePasskeyLead: 'You can no longer log in with it. Delete it on your device as well.',
    removeApp: 'Remove the authenticator app?',
    removeAppLead: 'Its codes no longer work here. Delete the entry in the app as well.',
    last: 'It is your last second factor: your recovery codes end with it, and your password alone is enough to log in.',
    mustHave: 'This is your last second factor, and you must have one here. Add another one first.',
    remove: 'Remove',
    renewCodes: 'Make new recovery codes?',
    renewCodesLead: 'All codes that you have now stop working.',
    renew: 'Make new codes',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
