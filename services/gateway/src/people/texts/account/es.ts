import type { Texts } from './en.ts'

export const texts = {
  heading: 'Su cuenta',
  back: 'Volver a su cuenta',
  loggedInAs: (user) => `Ha iniciado sesión como ${user}.`,
  administrator: (user) => `Ha iniciado sesión como ${user}, con permisos de administración.`,
  details: 'Sus datos',
  noDetails: 'No se sabe nada de usted, salvo su nombre de usuario.',
  changeDetails: 'Modificar sus datos',
  apps: 'Aplicaciones con acceso a su cuenta',
  since: (time) => `desde el ${time}`,
  withdraw: 'Retirar',
  withdrawFrom: (app) => `Retirar el acceso de ${app}`,
  withdrawHint:
    'Cuando retira el acceso de una aplicación, deja de funcionar de inmediato. Solo lo recupera si la usa de nuevo para iniciar sesión.',
  noApps: 'Ninguna. Las aplicaciones que use con su cuenta aparecerán aquí.',
  appsMissing: 'Es posible que ahora falten algunas aplicaciones. Vuelva a mirar dentro de un minuto.',
  deletedApp: (clientId) => `${clientId} (eliminada)`,
  sessions: 'Dónde ha iniciado sesión',
  thisBrowser: 'este navegador',
  from: (address) => `desde ${address}`,
  logOut: 'Cerrar sesión',
  logOutHere: 'Cerrar sesión aquí',
  logOutOf: (browser, since) => `Cerrar la sesión de ${browser}, abierta desde el ${since}`,
  providers: 'Cómo inicia sesión',
  as: (name) => `como ${name}`,
  done: {
    session: 'Esa sesión ha terminado.',
    app: 'Se ha retirado el acceso: los tokens de la aplicación ya no funcionan.',
    details: 'Sus datos se han guardado.',
    password:
      'Su contraseña se ha cambiado. Sus otras sesiones han terminado y las aplicaciones han perdido el acceso.',
    'password-only':
      'Su contraseña se ha cambiado. Sus otras sesiones y sus aplicaciones conservan el acceso.',
  },
  whole: 'Lo que está guardado sobre usted',
  lastUsed: (time) => `último uso: ${time}`,
  place: (city, country) => `${city}, ${country}`,
  browsers: {
    programOn: (device) => `Un programa en ${device}`,
    unknown: 'Un programa desconocido',
    on: (browser, device) => `${browser} en ${device}`,
  },
} satisfies Texts
