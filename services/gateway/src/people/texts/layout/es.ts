import type { Texts } from './en.ts'

export const texts = {
  navigation: 'Cuenta',
  administration: 'Administración',
  account: 'Cuenta',
  logOut: 'Cerrar sesión',
  about: 'Acerca de este servidor',
  terms: 'Condiciones de uso',
  privacy: 'Privacidad',
  support: 'Ayuda',
} satisfies Texts
