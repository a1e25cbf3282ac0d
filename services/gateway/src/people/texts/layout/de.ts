import type { Texts } from './en.ts'

export const texts = {
  navigation: 'Konto',
  administration: 'Verwaltung',
  account: 'Konto',
  logOut: 'Abmelden',
  about: 'Über diesen Server',
  terms: 'Nutzungsbedingungen',
  privacy: 'Datenschutz',
  support: 'Hilfe',
} satisfies Texts
