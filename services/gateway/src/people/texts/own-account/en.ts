/** The pages of what people do with their own data and their account as a whole. */
export const texts = {
  data: {
    title: 'Download your data',
    lead: 'You get a file with everything that is stored here about you: your details, the apps with access to your account, where you are logged in and how, your logins of the last 30 days, and the e-mails that were sent to you.',
    hint: 'The file is in JSON, a format for programs that people can read too. It has no passwords and no codes. Keep it to yourself.',
    submit: 'Download the file',
  },
  deletion: {
    title: 'Delete your account',
    lead: 'This cannot be undone. Nobody can bring the account back, not even an administrator.',
    consequences: [
      'You are logged out everywhere.',
      'Apps lose their access at once. What they have stored themselves stays with them.',
      'Your details, passkeys and other ways to log in, logins and e-mails are deleted.',
    ],
    downloadFirst: 'Download your data first',
    confirm: (user: string) => `To confirm, type your user name: ${user}`,
    label: 'Your user name',
    submit: 'Delete the account for good',
    wrong: 'This is not your user name. Nothing was deleted.',
    lastOwner:
      'You are the last owner of this server, so your account cannot be deleted. Make somebody else an owner first.',
    ownsOrganization: (organization: string) =>
      `You are the last owner of ${organization}, which has other members, so your account cannot be deleted. Make another member an owner first.`,
    off: 'On this server only administrators can delete accounts.',
  },
  deleted: {
    heading: 'Your account is deleted',
    lead: 'You are logged out everywhere, and apps have lost their access. You can close this page now.',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
