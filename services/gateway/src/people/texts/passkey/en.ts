/** The words about using a passkey, on the login page and where people prove a second factor or add a passkey. */
export const texts = {
  logIn: 'Use a passkey',
  use: 'Use a passkey',
  refused: 'This passkey was not accepted. Try again, or log in another way.',
  cancelled: 'The passkey was not used: this was cancelled, or it took too long.',
  unsupported: 'This browser cannot use passkeys.',
  noScript: 'Passkeys need JavaScript, which is switched off in this browser.',
}

/** These texts in one language. */
export type Texts = typeof texts
