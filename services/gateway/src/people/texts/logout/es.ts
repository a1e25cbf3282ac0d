import type { Texts } from './en.ts'

export const texts = {
  title: '¿Cerrar sesión?',
  heading: (brand) => `¿Cerrar la sesión en ${brand}?`,
  loggedInAs: (user) => `Ha iniciado sesión como ${user}.`,
  asked: (app) => `${app} le pide que cierre la sesión.`,
  explanation:
    'Al cerrar la sesión, esta termina en este navegador. Se avisa a las aplicaciones en las que inició sesión.',
  destination: (destination) => `Después irá a ${destination}.`,
  submit: 'Cerrar sesión',
  stay: 'Mantener la sesión',
  noDecision: 'Falta la decisión.',
  over: 'Esta página ya se ha respondido o es demasiado antigua. Abra su cuenta para cerrar la sesión.',
  loggedOut: {
    heading: 'Ha cerrado la sesión',
    lead: 'Ya puede cerrar esta página.',
    continueTo: (destination) => `Continuar a ${destination}`,
    again: 'Iniciar sesión de nuevo',
  },
} satisfies Texts
