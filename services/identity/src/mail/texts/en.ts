import type { MailTexts } from './mail-texts.ts'

const onceInAnHour = 'The link works once, within one hour.'

/** The mails in English. */
export const en: MailTexts = {
  greeting: (username) => (username === undefined ? 'Hello,' : `Hello ${username},`),
  orOpen: 'Or open this address in your browser:',
  reason: (brand) => `${brand} sent this e-mail because of something that was done with this address.`,
  terms: 'Terms',
  privacy: 'Privacy',
  support: 'Support',
  kinds: {
    sign_up: ({ brand }) => ({
      subject: `Finish signing up for ${brand}`,
      lines: [`Choose a user name and a password to create your account at ${brand}.`],
      button: 'Create your account',
      after: [
        onceInAnHour,
        'If you did not ask for this, ignore this e-mail. Nothing happens without the link.',
      ],
    }),
    sign_up_known: ({ brand, username }) => ({
      subject: `You already have an account at ${brand}`,
      lines: [
        `Somebody, probably you, wanted to sign up for ${brand} with this address. It belongs to the account ${username}: log in with that name or with this address.`,
        'If you have forgotten the password, you can reset it.',
      ],
      button: 'Reset the password',
      after: ['If this was not you, ignore this e-mail. Nothing has changed.'],
    }),
    invitation: ({ brand }) => ({
      subject: `You are invited to ${brand}`,
      lines: [`An administrator has invited you to create an account at ${brand}.`],
      button: 'Create your account',
      after: [
        'The link works once, within seven days.',
        'If you do not want an account, ignore this e-mail.',
      ],
    }),
    password_reset: ({ brand, username }) => ({
      subject: `Reset your password for ${brand}`,
      lines: [`Somebody, probably you, asked to reset the password of ${username} at ${brand}.`],
      button: 'Choose a new password',
      after: [onceInAnHour, 'If this was not you, ignore this e-mail. Your password stays as it is.'],
    }),
    password_changed: ({ brand, username, time }) => ({
      subject: `Your password for ${brand} was changed`,
      lines: [`The password of ${username} at ${brand} was changed on ${time}.`],
      button: 'This was not me: reset the password',
      after: ['If it was you, there is nothing to do.'],
    }),
    address: ({ brand, username }) => ({
      subject: `Confirm your e-mail address for ${brand}`,
      lines: [`Confirm that this address belongs to ${username} at ${brand}.`],
      button: 'Confirm the address',
      after: [
        onceInAnHour,
        'If you did not ask for this, ignore this e-mail. Nothing happens without the link.',
      ],
    }),
    address_changed: ({ brand, username, address, time }) => ({
      subject: `Your e-mail address at ${brand} was changed`,
      lines: [
        `The e-mail address of ${username} at ${brand} was changed on ${time}. It is now ${address}, and e-mails no longer go to this address.`,
      ],
      after: ['If this was not you, tell the people who run this server at once.'],
    }),
    new_login: ({ brand, username, browser, ipAddress, time }) => ({
      subject: `New login to your account at ${brand}`,
      lines: [`${username} logged in with a browser that was not used before.`],
      facts: [
        ['Browser', browser],
        ['IP address', ipAddress],
        ['Time', time],
      ],
      button: 'Look at your account',
      after: [
        'If this was you, there is nothing to do. If not, change your password and end the session on your account page.',
      ],
    }),
    factor_added: ({ brand, username, time }) => ({
      subject: `A way to log in was added to your account at ${brand}`,
      lines: [
        `A passkey or an authenticator app was added to the account ${username} at ${brand} on ${time}.`,
      ],
      button: 'Look at your account',
      after: [
        'If it was you, there is nothing to do. If not, change your password at once and look at your second factors on your account page.',
      ],
    }),
    factor_removed: ({ brand, username, time }) => ({
      subject: `A way to log in was removed from your account at ${brand}`,
      lines: [
        `A passkey or an authenticator app was removed from the account ${username} at ${brand} on ${time}.`,
      ],
      button: 'Look at your account',
      after: [
        'If it was you, there is nothing to do. If not, change your password at once and look at your second factors on your account page.',
      ],
    }),
    account_connected: ({ brand, username, connection, time }) => ({
      subject: `A way to log in was added to your account at ${brand}`,
      lines: [`An account at ${connection} was connected to the account ${username} at ${brand} on ${time}.`],
      button: 'Look at your connected accounts',
      after: [
        'If it was you, there is nothing to do. If not, disconnect it at once and change your password.',
      ],
    }),
    recovery_code_used: ({ brand, username, time }) => ({
      subject: `A recovery code of your account at ${brand} was used`,
      lines: [
        `Somebody logged in to the account ${username} at ${brand} with a recovery code on ${time}. That code no longer works.`,
      ],
      button: 'Look at your account',
      after: [
        'If it was you, there is nothing to do. If not, change your password at once and look at your second factors on your account page.',
      ],
    }),
    account_deleted: ({ brand, username, time }) => ({
      subject: `Your account at ${brand} was deleted`,
      lines: [
        `The account ${username} at ${brand} was deleted on ${time}, as you asked on the account page.`,
        'You are logged out everywhere, apps have lost their access, and what was stored about you is deleted.',
      ],
      after: ['If this was not you, tell the people who run this server at once.'],
    }),
    organization_invitation: ({ brand, organization, inviter }) => ({
      subject: `You are invited to an organization at ${brand}`,
      lines: [`You are invited to join an organization at ${brand}.`],
      facts: [
        ['Organization', organization],
        ['Invited by', inviter],
      ],
      button: 'Look at the invitation',
      after: ['The link works once, within seven days.', 'If you do not want to join, ignore this e-mail.'],
    }),
    domain_missing: ({ brand, organization, domain, time }) => ({
      subject: `The DNS record of your domain is missing at ${brand}`,
      lines: [
        `The DNS record that proves a domain of your organization at ${brand} is missing.`,
        `If the record is not back by ${time}, the organization loses the domain.`,
      ],
      facts: [
        ['Organization', organization],
        ['Domain', domain],
      ],
      button: 'Look at your organizations',
      after: [],
    }),
    domain_lost: ({ brand, organization, domain }) => ({
      subject: `Your organization has lost a domain at ${brand}`,
      lines: [
        `The DNS record that proves a domain of your organization at ${brand} has been missing for seven days, so the organization has lost the domain.`,
      ],
      facts: [
        ['Organization', organization],
        ['Domain', domain],
      ],
      button: 'Look at your organizations',
      after: ['To get it back, add the record again and check the domain on the page of the organization.'],
    }),
  },
}
