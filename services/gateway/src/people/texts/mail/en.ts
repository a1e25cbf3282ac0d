/** The words that the pages which send a mail, and those that a mail leads to, have in common. */
export const texts = {
  address: 'E-mail address',
  send: 'Send the e-mail',
  wrongAddress: 'Enter an e-mail address, such as ann@example.com.',
  checkMail: 'Check your mail',
  over: {
    title: 'This link does not work any more',
    lead: 'It was already used, or it has expired. A link also stops working when the password or the address changes.',
    toAccount: 'Go to your account',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
