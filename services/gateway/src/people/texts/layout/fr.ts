import type { Texts } from './en.ts'

export const texts = {
  navigation: 'Compte',
  administration: 'Administration',
  account: 'Compte',
  logOut: 'Se déconnecter',
  about: 'À propos de ce serveur',
  terms: 'Conditions d’utilisation',
  privacy: 'Confidentialité',
  support: 'Aide',
} satisfies Texts
