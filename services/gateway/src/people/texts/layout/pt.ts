import type { Texts } from './en.ts'

export const texts = {
  navigation: 'Conta',
  administration: 'Administração',
  account: 'Conta',
  logOut: 'Sair',
  about: 'Sobre este servidor',
  terms: 'Termos de uso',
  privacy: 'Privacidade',
  support: 'Ajuda',
} satisfies Texts
