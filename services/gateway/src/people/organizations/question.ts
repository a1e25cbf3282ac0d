import type { FastifyReply } from 'fastify'
import { sendPage } from '../pages/pages.ts'
import type { MemberVisit } from './visit.ts'

/** The words of a question, before something is taken away. */
export type QuestionWords = {
  /** The title, around the name of what is taken away. */
  title: (name: string) => string
  lead: string
  submit: string
}

/**
 * Answers with the page that asks whether something is to be taken away.
 * @param question.name the name of what is taken away
 * @param question.action where the form goes
 * @param question.fields its hidden fields
 * @param question.back the page to which people return who do not want it, with its name if it is not the organization's
 * @param question.problem why it was not done before, if it was tried
 */
export function askFirst(
  reply: FastifyReply,
  { session: { user }, membership, language }: MemberVisit,
  { title, lead, submit }: QuestionWords,
  {
    name,
    action,
    fields = {},
    back,
    problem,
  }: {
    name: string
    action: string
    fields?: Readonly<Record<string, string>>
    back: string | { href: string; name: string }
    problem?: string | undefined
  },
): FastifyReply {
  const content = {
    ...{ user, heading: title, name, lines: [lead], problem, action, fields },
    // Of a page about the organization itself, the title has its name already.
    title: name === membership.name ? title(name) : `${title(name)} · ${membership.name}`,
    button: submit,
    back: typeof back === 'string' ? { href: back, name: membership.name } : back,
  }
  return sendPage(reply, 'organizations/question', content, { language })
}
