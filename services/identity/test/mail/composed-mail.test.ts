import { languageTags } from '@gatehouse/proto/people/languages'
import { linkOfMail, mailKindNames } from '@gatehouse/proto/people/mails'
import { describe, expect, test } from 'vitest'
import { composeMail } from '../../src/mail/composed-mail.ts'
import { mailBrand } from '../../src/mail/mail-brand.ts'

const brand = { ...mailBrand({}), name: 'Example & Co', supportUrl: 'https://example.com/help' }
const content = {
  username: 'ann <b>jones</b>',
  address: 'new@example.com',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ipAddress: '192.0.2.1',
  at: Date.UTC(2026, 0, 2, 3, 4, 5),
  timeZone: 'Asia/Tokyo',
}
const all = languageTags.flatMap((language) => mailKindNames.map((kind) => ({ language, kind })))

describe('a mail', () => {
  test.each(all)('$kind in $language has every text, in both parts', ({ language, kind }) => {
    const mail = { kind, language, content, linkSecret: 'the-secret' }
    const { subject, text, html } = composeMail(mail, { brand, baseUrl: 'https://login.example.com' })
    for (const part of [subject, text, html]) {
      expect(part).not.toMatch(/undefined|null|\[object|\(\)|\$\{/)
      expect(part.trim()).not.toBe('')
    }
    expect(subject).toContain('Example & Co')
    expect(subject).not.toMatch(/[\r\n]/)
    expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
    expect(html).not.toContain('<b>jones</b>')
    expect(html).toContain('Example &amp; Co')
    expect(text).toContain('https://example.com/help')
    expect(html.includes('the-secret')).toBe(linkOfMail(kind) !== undefined)
    expect(text.includes('the-secret')).toBe(linkOfMail(kind) !== undefined)
  })

  test('says the time in the reader’s language and zone, and the browser', () => {
    const composed = (language: 'en' | 'de') =>
      composeMail(
        { kind: 'new_login', language, content, linkSecret: undefined },
        { brand, baseUrl: 'https://a.example' },
      ).text
    expect(composed('en')).toContain('Browser: Firefox, Linux')
    expect(composed('en')).toContain('Time: January 2, 2026 at 12:04:05')
    expect(composed('de')).toContain('Zeit: 2. Januar 2026 um 12:04:05')
  })

  test('has its address in a line of its own, under the public base URL', () => {
    const mail = { kind: 'password_reset', language: 'en', content, linkSecret: 'the-secret' } as const
    const { text } = composeMail(mail, { brand, baseUrl: 'https://login.example.com' })
    expect(text.split('\n')).toContain('https://login.example.com/auth/reset?token=the-secret')
  })
})

test('the button has the colour of the brand, with words that can be read on it', () => {
  expect(mailBrand({})).toMatchObject({ name: 'Gatehouse', color: '#0b5cad', textColor: '#ffffff' })
  const yellow = mailBrand({ OAUTH2_BRAND_NAME: 'Ann & Co', OAUTH2_BRAND_COLOR: '#FFD400' })
  expect(yellow).toMatchObject({ name: 'Ann & Co', color: '#ffd400', textColor: '#000000' })
})
