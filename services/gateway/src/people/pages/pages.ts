import { hash } from 'node:crypto'
import { join } from 'node:path'
import { directionOf, type Language } from '@gatehouse/proto/people/languages'
import { passwordLength } from '@gatehouse/proto/people/passwords'
import { Eta } from 'eta'
import type { FastifyReply } from 'fastify'
import { assetPaths } from '../../http/assets.ts'
import { textsIn } from '../texts/table.ts'
import type { PageOrganization, PeoplePages } from './contents/page-contents.ts'
import type { Look } from './look.ts'
import { lookOf } from './organization-look.ts'
import { languageOf } from './page-language.ts'
import { pageWriting } from './page-writing.ts'

const eta = new Eta({ views: join(import.meta.dirname, '../templates'), cache: true })

declare module 'fastify' {
  interface FastifyInstance {
    /** How the pages for people look. */
    look: Look
    /** Whether the server has the documentation, so that pages lead to it. */
    documentation: boolean
  }
}

/** The permissions of a page beyond those of every page. */
export type PageOptions = {
  /** The schemes, such as `https:`, that a form on the page may lead to, besides our own origin. */
  formTargets?: readonly string[]
  /** Whether the page has scripts. */
  scripts?: boolean
  /** Whether its scripts call our API. */
  asks?: boolean
  /** A script that stands in the page itself. */
  inlineScript?: string
  /** Which address pages to which it leads learn of it; by default none of another origin. */
  referrerPolicy?: 'strict-origin'
  /** The origins of its pictures, besides the logo. */
  pictures?: readonly string[]
  /** The organization for which the user acts, whose colour and logo the page has. */
  organization?: Pick<PageOrganization, 'color' | 'logoUri'> | undefined
  /** The language of a page for people; by default the one that the browser asks for. */
  language?: Language
}

/** Answers with a page that is never cached and cannot be framed. */
export function sendPage<Name extends keyof PeoplePages>(
  reply: FastifyReply,
  name: Name,
  content: PeoplePages[Name],
  options: PageOptions = {},
): FastifyReply {
  const language = options.language ?? languageOf(reply.request)
  const organizationLook = options.organization && lookOf(options.organization)
  const page = {
    language,
    direction: directionOf(language),
    t: textsIn(language),
    write: pageWriting,
    passwordLength,
    assets: assetPaths,
    look: reply.server.look,
    organizationLook,
    documentation: reply.server.documentation,
  }
  const pictures = [
    ...[reply.server.look.logoOrigin, organizationLook?.logo?.origin],
    ...(options.pictures ?? []),
  ]
  return reply
    .headers({
      ...pageHeaders(
        policy(
          options,
          pictures.filter((origin) => origin !== undefined),
        ),
        options.referrerPolicy,
      ),
      'content-language': language,
      vary: 'accept-language',
    })
    .type('text/html; charset=utf-8')
    .send(eta.render(`./${name}`, { ...content, ...page }))
}

/** The Content-Security-Policy of the built pages, which load nothing but files of this server. `data:` is for pictures in stylesheets. */
export const ownFilesOnly = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The headers of every page. @param policy its Content-Security-Policy @param referrerPolicy its Referrer-Policy */
export function pageHeaders(policy: string, referrerPolicy = 'same-origin'): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': policy,
    // Not no-referrer, with which browsers send `Origin: null` with our own forms.
    'referrer-policy': referrerPolicy,
    'x-content-type-options': 'nosniff',
    // No Cross-Origin-Opener-Policy, which would separate a login window from the app that opened it.
    'x-frame-options': 'DENY',
  }
}

// Chromium also checks form-action against the redirects that follow a form.
function policy(
  { formTargets = [], scripts = false, inlineScript, asks = false }: PageOptions,
  pictures: readonly string[],
): string {
  const scriptSources = [
    ...(scripts ? ["'self'"] : []),
    ...(inlineScript === undefined ? [] : [`'sha256-${hash('sha256', inlineScript, 'base64')}'`]),
  ]
  return [
    "default-src 'none'",
    "style-src 'self'",
    ...(scriptSources.length > 0 ? [`script-src ${scriptSources.join(' ')}`] : []),
    ...(asks ? ["connect-src 'self'"] : []),
    ['img-src data:', ...new Set(pictures)].join(' '),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
