import type { Texts } from './en.ts'

export const texts = {
  heading: 'Organisation wählen',
  lead: (app) => `Für welche Organisation verwenden Sie ${app}?`,
  none: 'Für keine davon',
  noChoice: 'Die Wahl fehlt: Drücken Sie auf den Namen einer Organisation.',
  acting: (organization) => `in der Organisation ${organization}`,
  only: (organization) => `Der Zugriff gilt nur in der Organisation ${organization}.`,
} satisfies Texts
