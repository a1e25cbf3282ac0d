import { loadConfig } from '@gatehouse/kit/config/load-config'
import { Type } from '@gatehouse/proto/typebox'
import { expect, test } from 'vitest'
import { smtpName } from '../../src/mail/smtp-name.ts'
import { mailVariables } from '../../src/mail/variables.ts'

test.each([
  ['auth.example.com', 'mail.example', 'auth.example.com'],
  ['auth.example.com.', 'mail.example', 'auth.example.com'],
  ['localhost', 'example.com', 'example.com'],
  ['app.localhost', 'example.com', 'example.com'],
  ['gateway', 'example.com', 'example.com'],
  ['192.0.2.1', 'münchen.example', 'xn--mnchen-3ya.example'],
  ['192.0.2.1', 'localhost', '[192.0.2.1]'],
  ['[2001:db8::1]', 'localhost', '[IPv6:2001:db8::1]'],
  ['localhost', 'localhost', 'localhost'],
])(
  'with the public host %s and the sender’s domain %s, the mail server is greeted as %s',
  (host, sender, name) => {
    expect(smtpName(host, sender)).toBe(name)
  },
)

const read = (name: string) =>
  loadConfig(Type.Object({ OAUTH2_SMTP_EHLO_NAME: mailVariables.OAUTH2_SMTP_EHLO_NAME }), {
    OAUTH2_SMTP_EHLO_NAME: name,
  }).OAUTH2_SMTP_EHLO_NAME

test.each(['auth.example.com', 'relay', '[192.0.2.1]', '[IPv6:2001:db8::1]'])('%s may be set', (name) => {
  expect(read(name)).toBe(name)
})

test.each(['a b', 'a\r\nMAIL', 'münchen.example', '-a.example', 'https://a.example', 'a.example:25'])(
  '%j may not',
  (name) => {
    expect(() => read(name)).toThrow('OAUTH2_SMTP_EHLO_NAME must be a domain')
  },
)
