/** The page of one’s own e-mail address, and the one that a mail leads to, which confirms it. */
export const texts = {
  own: {
    title: 'Your e-mail address',
    confirmed: (address: string) => `Your address is ${address}. It is confirmed.`,
    unconfirmed: (address: string) => `Your address is ${address}. It is not confirmed.`,
    none: 'You have no e-mail address here.',
    confirm: 'Send an e-mail to confirm it',
    change: 'Change your address',
    add: 'Add your address',
    new: 'New e-mail address',
    hint: 'We send an e-mail with a link to the new address. Your address changes when you follow the link.',
    link: 'Change your e-mail address',
    unchanged: 'This is your address already, and it is confirmed.',
    tooMany: 'Several e-mails have already gone to this address. Please try again in an hour.',
    off: 'This server sends no e-mails. Ask an administrator to change your address.',
    sent: 'We have sent an e-mail. Your address changes when you follow the link in it.',
    done: 'Your e-mail address is confirmed.',
  },
  confirm: {
    title: 'Confirm your address',
    lead: (address: string, user: string) =>
      `This makes ${address} the e-mail address of the account ${user}.`,
    submit: 'Confirm',
    hint: 'If this is not your account, close this page. Nothing changes.',
    done: 'Your address is confirmed',
    close: 'You can close this page now.',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
