import { ConfigurationError } from '@gatehouse/kit/config/config'
import { type Static, Type } from '@gatehouse/proto/typebox'

const addressPattern = '[^\\s<>@",;:]+@[^\\s<>@",;:]+'

/** The variables of mails. */
export const mailVariables = {
  OAUTH2_SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://([^\\s/?#@]+@)?[^\\s/?#@:]+(:[0-9]{1,5})?/?$',
      secret: true,
      rule: 'a URL such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com',
      defaultText: 'none: mails are files in OAUTH2_MAIL_DIRECTORY, if that is set, or else are off',
      description:
        'The mail server that takes the mails to users. A connection to smtp:// is encrypted by STARTTLS where the server offers it, and must be if there is a password; one to smtps:// is encrypted from its beginning. See docs/people/mail.md.',
      check: refuseBadPort,
    }),
  ),
  OAUTH2_SMTP_EHLO_NAME: Type.Optional(
    Type.String({
      pattern:
        '^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*|\\[(IPv6:)?[0-9A-Fa-f:.]+\\])$',
      maxLength: 255,
      rule: 'a domain such as auth.example.com, or an address in brackets such as [192.0.2.1]',
      defaultText:
        'the host of OAUTH2_SERVER_PUBLIC_BASE_URL, or the sender’s domain where that is no domain',
      description:
        'The name by which this server greets the mail server (EHLO). Some relays demand that it is in the DNS.',
    }),
  ),
  OAUTH2_MAIL_FROM: Type.Optional(
    Type.String({
      pattern: `^([^<>\\r\\n"]+ <${addressPattern}>|${addressPattern})$`,
      rule: 'an e-mail address such as no-reply@example.com or Example <no-reply@example.com>',
      defaultText: 'no-reply at the host of OAUTH2_SERVER_PUBLIC_BASE_URL, with the name of the brand',
      description: 'The sender of mails.',
    }),
  ),
  OAUTH2_MAIL_DIRECTORY: Type.Optional(
    Type.String({
      minLength: 1,
      defaultText: 'mails in the data directory with the local launcher; none elsewhere',
      description:
        'A directory into which mails are written as files, for trying the server out. Whoever can read it can reset passwords. It is not used if OAUTH2_SMTP_URL is set.',
    }),
  ),
  OAUTH2_SIGNUP: Type.Enum(['closed', 'open', 'invitation'], {
    default: 'closed',
    rule: 'one of closed, open, invitation',
    description:
      'Who may create an account: nobody (closed), everybody (open), or whom an administrator invites (invitation). It needs OAUTH2_SMTP_URL or OAUTH2_MAIL_DIRECTORY.',
    check: requireMails,
  }),
}

/** The values of these variables. */
export type MailVariables = {
  [Name in keyof typeof mailVariables]?: Static<(typeof mailVariables)[Name]>
}

/** @throws ConfigurationError */
function refuseBadPort({ OAUTH2_SMTP_URL: url }: MailVariables): void {
  if (url !== undefined && !URL.canParse(url))
    throw new ConfigurationError('OAUTH2_SMTP_URL must have a port from 1 to 65535')
}

/** @throws ConfigurationError */
function requireMails({ OAUTH2_SIGNUP, OAUTH2_SMTP_URL, OAUTH2_MAIL_DIRECTORY }: MailVariables): void {
  if (OAUTH2_SIGNUP === 'closed' || OAUTH2_SMTP_URL || OAUTH2_MAIL_DIRECTORY) return
  throw new ConfigurationError(
    `OAUTH2_SIGNUP is ${OAUTH2_SIGNUP}, so OAUTH2_SMTP_URL must be set: who signs up gets a mail`,
  )
}
