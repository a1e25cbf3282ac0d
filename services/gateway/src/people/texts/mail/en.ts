/** The words that the pages which send a mail, and those that a mail leads to, have in common. */
export const texts = {
  address: 'E-mail address',
  send: 'Send the mail',
  wrongAddress: 'Enter an e-mail address, such as ann@example.com.',
  checkMail: 'Check your mail',
  over: {
    title: 'This link does not work any more',
    lead: 'It was used already, or its time is over. A link also ends when the password or the address changes.',
    toAccount: 'Go to your account',
  },
  passwordRule: (least: number) => `At least ${least} characters.`,
}

/** These texts in one language. */
export type Texts = typeof texts
