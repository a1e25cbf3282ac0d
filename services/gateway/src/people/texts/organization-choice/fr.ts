import type { Texts } from './en.ts'

export const texts = {
  heading: 'Choisir une organisation',
  lead: (app) => `Pour quelle organisation utilisez-vous ${app} ?`,
  none: 'Pour aucune d’elles',
  noChoice: 'Le choix manque : appuyez sur le nom d’une organisation.',
  acting: (organization) => `dans l’organisation ${organization}`,
  only: (organization) => `L’accès ne vaut que dans l’organisation ${organization}.`,
} satisfies Texts
