/** The pages on which people add a second factor, and the one that shows their recovery codes. */
export const texts = {
  choose: {
    heading: 'Add a second factor',
    lead: 'Here a password alone is not enough. Choose what you use together with it; you can add more later.',
    passkey: 'Passkey',
    passkeyLead: 'Your fingerprint, your face or a PIN on this device, or a security key.',
    addPasskey: 'Add a passkey',
    app: 'Authenticator app',
    appLead: 'An app on your phone that shows a new code every 30 seconds.',
    addApp: 'Set up an app',
    nothing: 'This server offers no second factor that you could add. Ask an administrator.',
  },
  addPasskey: {
    heading: 'Add a passkey',
    lead: 'With a passkey you log in by your fingerprint, your face, a PIN or a security key, even without your password.',
    name: 'Name',
    nameHint: 'Helps you to recognize it later.',
    submit: 'Add the passkey',
    cancelled: 'No passkey was added: this was cancelled, or it took too long.',
    invalid: 'The passkey could not be added. Try again.',
    taken: 'This device or key has a passkey for this account already.',
    tooMany: 'You have as many passkeys as you can have. Remove one first.',
    badName: 'The name must have 1 to 100 characters that people can see.',
    unavailable: 'This server offers no passkeys.',
  },
  addApp: {
    heading: 'Set up an authenticator app',
    scan: 'Scan this QR code with the app.',
    picture: 'QR code for the app, with the same secret as below.',
    type: 'Or type this secret into the app:',
    open: 'Or open it in the app on this device',
    code: 'Code that the app shows',
    submit: 'Finish',
    wrong: 'This code is wrong. Check the clock of your phone, then try the next code.',
    unavailable: 'This server offers no authenticator apps.',
  },
  codes: {
    heading: 'Your recovery codes',
    lead: 'If you lose your second factor, you log in with your password and one of these codes. Each works once.',
    keep: 'Print them or write them down, and keep them in a safe place. They are not shown again.',
    replaced: 'Your earlier codes no longer work.',
    stored: 'I have stored them',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
