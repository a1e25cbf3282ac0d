import type { Texts } from './en.ts'

export const texts = {
  title: (app) => `¿Permitir ${app}?`,
  heading: (app) => `${app} solicita acceso a su cuenta`,
  document: (host) =>
    `Esta aplicación no está registrada aquí. La describe ${host}, que también ha elegido su nombre.`,
  selfRegistered: 'Nadie ha comprobado esta aplicación.',
  anyProgram:
    'Esta aplicación se ejecuta en su propio dispositivo, y cualquier otro programa que haya en él puede hacerse pasar por ella. Permítalo solo si acaba de abrir la aplicación usted mismo.',
  lead: (user, app) => `Ha iniciado sesión como ${user}. Si lo permite, ${app} podrá:`,
  destination: (destination) => `Después volverá a ${destination}. Permítalo solo si viene de allí.`,
  allow: 'Permitir',
  deny: 'Denegar',
  withdraw: (link) => `Puede retirar este acceso en cualquier momento en ${link}.`,
  yourAccount: 'su cuenta',
  aboutApp: (app) => `Acerca de ${app}`,
  policy: 'Política de privacidad',
  terms: 'Condiciones de uso',
  noDecision: 'Falta la decisión: permitir o denegar.',
  over: 'Esta página ya se ha respondido o es demasiado antigua. Si la aplicación todavía necesita acceso, vuelva a ella y empiece de nuevo.',
  sessionOver:
    'Su sesión terminó mientras esta página estaba abierta, así que la aplicación no obtuvo acceso.',
  appOfScheme: (scheme) => `la aplicación ${scheme}`,
  scopes: {
    known: {
      read: 'Leer sus datos',
      write: 'Modificar sus datos',
      profile: 'Ver su nombre y su perfil',
      email: 'Ver su dirección de correo electrónico',
      openid: 'Reconocerle cuando inicie sesión',
      offline_access: 'Conservar el acceso cuando usted no esté',
    },
    ofOrganizations: {
      organization: 'Ver el nombre de la organización',
      groups: 'Ver los grupos en los que está',
      roles: 'Ver los roles que tiene',
    },
    other: (scope) => `Usar «${scope}»`,
    ofServer: (server, words) => `${server}: ${words}`,
  },
  laterScopes: {
    email: 'Ver su dirección de correo electrónico, en cuanto tenga una aquí',
    profile: 'Ver su nombre de usuario, y su perfil en cuanto lo complete',
  },
} satisfies Texts
