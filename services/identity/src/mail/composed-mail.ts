import { browserOf } from '@gatehouse/kit/people/browser'
import { directionOf, type Language } from '@gatehouse/proto/people/languages'
import { linkOfMail, type MailKindName, type MailLinkPurpose } from '@gatehouse/proto/people/mails'
import { Eta } from 'eta'
import type { MailBrand } from './mail-brand.ts'
import type { MailTexts, MailWords } from './texts/mail-texts.ts'
import { mailTexts } from './texts/table.ts'

/** The content of a mail, as it is stored. It never has a secret. */
export type MailContent = {
  /** The user's name; undefined for somebody who has no account yet. */
  username?: string
  /** The user's new address. */
  address?: string
  /** The name of an organization, and of whoever invites to it. */
  organization?: string
  inviter?: string
  /** A domain of the organization. */
  domain?: string
  /** The name of a connection. */
  connection?: string
  userAgent?: string
  ipAddress?: string
  /** When it happened, in milliseconds since the Unix epoch. */
  at?: number
  /** The user's time zone. */
  timeZone?: string
}

/** A mail to compose. */
export type MailToCompose = {
  kind: MailKindName
  language: Language
  content: MailContent
  /** The secret of its link; undefined for a mail without one. */
  linkSecret: string | undefined
}

/** The mail as the recipient reads it. */
export type ComposedMail = { subject: string; text: string; html: string }

/** The pages to which links lead. */
const linkPages: Readonly<Record<MailLinkPurpose, string>> = {
  sign_up: '/auth/signup/complete',
  password_reset: '/auth/reset',
  address: '/auth/confirm-address',
  organization: '/account/organizations/join',
}

/** The pages to which the buttons of mails without such a link lead. */
const otherPages: { readonly [Kind in MailKindName]?: string } = {
  sign_up_known: '/auth/forgot',
  password_changed: '/auth/forgot',
  new_login: '/account',
  factor_added: '/account',
  factor_removed: '/account',
  account_connected: '/account/connections',
  recovery_code_used: '/account',
  domain_missing: '/account/organizations',
  domain_lost: '/account/organizations',
}

const eta = new Eta({ views: import.meta.dirname, cache: true })

/**
 * Composes a mail in its language, as plain text and as HTML.
 * @param baseUrl the public base URL, with which its address begins, never the host of a request
 */
export function composeMail(
  mail: MailToCompose,
  { brand, baseUrl }: { brand: MailBrand; baseUrl: string },
): ComposedMail {
  const texts = mailTexts[mail.language]
  const { facts, ...written } = texts.kinds[mail.kind](factsOf(mail, brand))
  const words = { ...written, ...(facts && { facts: facts.filter(([, value]) => value !== '') }) }
  const parts = {
    words,
    greeting: texts.greeting(mail.content.username),
    orOpen: texts.orOpen,
    address: addressOf(mail, baseUrl),
    reason: texts.reason(brand.name),
    links: linksOf(brand, texts),
  }
  const html = eta.render('./mail', {
    ...parts,
    brand,
    language: mail.language,
    direction: directionOf(mail.language),
  })
  return { subject: words.subject, text: plainText(parts), html }
}

function factsOf({ content, language }: MailToCompose, brand: MailBrand) {
  const { username = '', address = '', userAgent = '', ipAddress = '', at, timeZone = 'UTC' } = content
  const { organization = '', inviter = '', domain = '', connection = '' } = content
  const { name, device } = browserOf(userAgent)
  const format = { dateStyle: 'long', timeStyle: 'long', timeZone } as const
  return {
    brand: brand.name,
    username,
    address,
    organization: unlinked(organization),
    inviter: unlinked(inviter),
    domain: unlinked(domain),
    connection: unlinked(connection),
    ipAddress,
    browser: [name, device].filter((part) => part !== undefined).join(', ') || '?',
    time: at === undefined ? '' : new Intl.DateTimeFormat(language, format).format(at),
  }
}

/**
 * A name or a domain in a mail to people who do not know whoever chose it. Mail programs make links of what looks like an address; a space without
 * width behind its dots keeps them from that.
 */
function unlinked(name: string): string {
  return name.replaceAll(/[.:/@。．｡]/g, '$&\u200b')
}

/** The address to which the button leads; undefined for a mail without one. */
function addressOf({ kind, linkSecret }: MailToCompose, baseUrl: string): string | undefined {
  const link = linkOfMail(kind)
  if (link) return `${baseUrl}${linkPages[link.purpose]}?token=${linkSecret}`
  const page = otherPages[kind]
  return page && baseUrl + page
}

function linksOf({ termsUrl, privacyUrl, supportUrl }: MailBrand, texts: MailTexts) {
  const all = [
    { href: termsUrl, text: texts.terms },
    { href: privacyUrl, text: texts.privacy },
    { href: supportUrl, text: texts.support },
  ]
  return all.flatMap(({ href, text }) => (href === undefined ? [] : [{ href, text }]))
}

type Parts = {
  words: MailWords
  greeting: string
  address: string | undefined
  reason: string
  links: readonly { href: string; text: string }[]
}

/** The address stands in a line of its own, so that programs make a link of it and nothing else. */
function plainText({ words, greeting, address, reason, links }: Parts): string {
  const facts = (words.facts ?? []).map(([label, value]) => `${label}: ${value}`)
  const button = words.button === undefined ? [] : [`${words.button}:\n${address}`]
  const paragraphs = [
    greeting,
    ...words.lines,
    ...(facts.length > 0 ? [facts.join('\n')] : []),
    ...button,
    ...words.after,
    ['--', reason, ...links.map(({ href, text }) => `${text}: ${href}`)].join('\n'),
  ]
  return `${paragraphs.join('\n\n')}\n`
}
