import { byMailEs } from './by-mail/es.ts'
import type { Texts } from './en.ts'
import { factorsEs } from './factors/es.ts'
import { minutesIn, waitIn } from './factors/time.ts'
import { loginsEs } from './logins/es.ts'
import { ownAccountEs } from './own-account/es.ts'

const startAgain = 'Vuelva a la página de inicio de sesión y empiece de nuevo.'
const appIsWrong =
  'Vuelva a la aplicación e inténtelo de nuevo. Si ocurre otra vez, avise a los responsables de la aplicación.'
const answeredOrOld = 'Esta página ya se ha respondido o es demasiado antigua.'

/** The pages for people in Spanish. */
export const es: Texts = {
  layout: {
    navigation: 'Cuenta',
    administration: 'Administración',
    account: 'Cuenta',
    logOut: 'Cerrar sesión',
    about: 'Acerca de este servidor',
    terms: 'Condiciones de uso',
    privacy: 'Privacidad',
    support: 'Ayuda',
  },
  passwords: { show: 'Mostrar', hide: 'Ocultar' },
  login: {
    heading: 'Iniciar sesión',
    toContinueTo: (app) => `para continuar a ${app}`,
    again: (user) => `Ha iniciado sesión como ${user}. Para continuar, inicie sesión de nuevo.`,
    loggedIn: (user, link) => `Ha iniciado sesión como ${user}. ${link} o inicie sesión con otra cuenta.`,
    continue: 'Continúe',
    toAccount: 'Vaya a su cuenta',
    username: 'Nombre de usuario o dirección de correo',
    password: 'Contraseña',
    submit: 'Iniciar sesión',
    providers: 'O inicie sesión con',
    missing: 'Introduzca su nombre de usuario y su contraseña.',
    wrong: 'El nombre de usuario o la contraseña no son correctos. Compruébelos e inténtelo de nuevo.',
    tooMany: (seconds) => `Demasiados intentos fallidos. Vuelva a intentarlo ${minutesIn('es', seconds)}.`,
  },
  consent: {
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
    over: `${answeredOrOld} Si la aplicación todavía necesita acceso, vuelva a ella y empiece de nuevo.`,
    sessionOver:
      'Su sesión terminó mientras esta página estaba abierta, así que la aplicación no obtuvo acceso.',
    appOfScheme: (scheme) => `la aplicación ${scheme}`,
  },
  scopes: {
    known: {
      read: 'Leer sus datos',
      write: 'Modificar sus datos',
      profile: 'Ver su nombre y su perfil',
      email: 'Ver su dirección de correo electrónico',
      openid: 'Reconocerle cuando inicie sesión',
      offline_access: 'Conservar el acceso cuando usted no esté',
    },
    other: (scope) => `Usar «${scope}»`,
    ofServer: (server, words) => `${server}: ${words}`,
  },
  account: {
    heading: 'Su cuenta',
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
      'Una aplicación a la que retire el acceso deja de funcionar de inmediato, hasta que la use de nuevo para iniciar sesión.',
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
  },
  password: {
    change: 'Cambiar la contraseña',
    current: 'Contraseña actual',
    new: 'Contraseña nueva',
    rule: (least) => `Al menos ${least} caracteres.`,
    again: 'Repita la contraseña nueva',
    keepAccess: 'Mantener las demás sesiones y el acceso de las aplicaciones',
    keepAccessHint:
      'Deje esta casilla sin marcar si otra persona puede conocer su contraseña actual: se cerrarán sus demás sesiones y todas las aplicaciones perderán el acceso.',
    submit: 'Cambiar la contraseña',
    yours: 'Su contraseña',
    notNeeded: (providers) =>
      `Aquí no necesita contraseña: inicia sesión con ${providers}. Si desea una, pídala a la administración.`,
    differ: 'Las dos contraseñas nuevas no coinciden. No se ha cambiado nada.',
    wrong: 'La contraseña actual no es correcta. No se ha cambiado nada.',
    unacceptable: () => 'Esta contraseña nueva no es válida. Elija otra.',
  },
  browser: {
    programOn: (device) => `Un programa en ${device}`,
    unknown: 'Un programa desconocido',
    on: (browser, device) => `${browser} en ${device}`,
  },
  details: {
    heading: 'Sus datos',
    lead: 'Las aplicaciones a las que permita ver su perfil reciben estos datos. Lo que esté vacío no se muestra a nadie.',
    addressByAdministrators: 'Solo la administración puede cambiar su dirección de correo electrónico.',
    save: 'Guardar',
    back: 'Volver a su cuenta',
    yes: 'sí',
    no: 'no',
    choices: { yes: 'Sí', no: 'No', none: 'Sin especificar', leave: (now) => `Dejar como está: ${now}` },
    faults: {
      text: (label, most) => `«${label}» debe ser un texto visible de 1 a ${most} caracteres.`,
      picture: (label) => `«${label}» debe ser una dirección https sin contraseña.`,
      language: (label) => `«${label}» debe ser un código de idioma, por ejemplo en o de-CH.`,
      zone: (label) => `«${label}» debe ser una zona horaria, por ejemplo Europe/Berlin.`,
    },
  },
  factors: factorsEs,
  logins: loginsEs,
  logout: {
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
    over: `${answeredOrOld} Abra su cuenta para cerrar la sesión.`,
  },
  start: {
    lead: 'Inicie sesión en las aplicaciones con una sola cuenta.',
    account: 'Su cuenta',
    accountText: 'Su perfil, contraseña, segundos factores y aplicaciones.',
    console: 'Consola',
    consoleText: 'Para administradores: aplicaciones, usuarios y actividad.',
    documentation: 'Documentación',
    documentationText: 'Cómo crear aplicaciones con este servidor, operarlo y administrarlo. En inglés.',
    api: 'Referencia de la API',
    apiText: 'Para desarrolladores: todos los puntos de acceso, para leer y probar.',
    metadata: 'Metadatos del servidor',
    metadataText: 'Para bibliotecas cliente: las direcciones de todos los puntos de acceso.',
  },
  loggedOut: {
    heading: 'Ha cerrado la sesión',
    lead: 'Ya puede cerrar esta página.',
    continueTo: (destination) => `Continuar a ${destination}`,
    again: 'Iniciar sesión de nuevo',
  },
  social: {
    unreachable: (provider) => ({
      heading: `${provider} no responde`,
      description: `${provider} no responde en este momento.`,
      advice:
        'No se ha iniciado la sesión. Inténtelo de nuevo dentro de un minuto o inicie sesión de otra forma.',
    }),
    notOffered: (provider) => ({
      heading: `${provider} no está disponible aquí`,
      description: `El inicio de sesión con ${provider} no está disponible en este servidor.`,
      advice: 'Inicie sesión de otra forma.',
    }),
    notConfigured: (provider) => ({
      heading: `${provider} no está configurado aquí`,
      description: `El inicio de sesión con ${provider} no está configurado en este servidor.`,
      advice: 'Inicie sesión de otra forma. La administración puede configurarlo.',
    }),
    unknownLogin: {
      heading: 'Este inicio de sesión ha terminado',
      description: 'El inicio de sesión ya había terminado, tardó demasiado o se empezó en otro navegador.',
      advice: startAgain,
    },
    denied: (provider) => ({
      heading: 'No se ha iniciado la sesión',
      description: `${provider} indica que el inicio de sesión se canceló o no está permitido.`,
      advice: 'Si no quería cancelarlo, vuelva a la página de inicio de sesión y empiece de nuevo.',
    }),
    disabled: {
      heading: 'No puede iniciar sesión',
      description: 'Su cuenta está desactivada aquí.',
      advice: 'Pida a la administración que active su cuenta.',
    },
    untrusted: (provider) => ({
      heading: `Hay un problema con la respuesta de ${provider}`,
      description: `La respuesta de ${provider} no es de confianza, así que no se ha iniciado la sesión.`,
      advice: `${startAgain} Si ocurre otra vez, avise a la administración.`,
    }),
    unknownProvider: 'No hay ningún servicio de inicio de sesión con este nombre.',
    toLogin: 'Ir a la página de inicio de sesión',
  },
  error: {
    toAccount: 'Ir a su cuenta',
    toDocumentation: 'Documentación: el significado de cada error (en inglés)',
    details: 'Detalles para desarrolladores',
    code: 'Error',
    description: 'Descripción',
    trace: 'Identificador de la traza',
    otherSite: (ours) =>
      `Este formulario no se envió desde una página de este servidor. Abra ${ours} e inténtelo allí de nuevo.`,
    wait: (seconds) => `Puede intentarlo de nuevo ${waitIn('es', seconds)}.`,
    other: { heading: 'Esto no funciona', advice: appIsWrong },
    byCode: {
      invalid_request: { heading: 'Esta solicitud no funciona', advice: appIsWrong },
      invalid_client: { heading: 'Esta aplicación no se conoce aquí', advice: appIsWrong },
      access_denied: {
        heading: 'No tiene permiso para hacer esto',
        advice: 'Si cree que debería tenerlo, consulte a la administración.',
      },
      login_required: {
        heading: 'Su sesión ha terminado',
        advice: 'Vuelva al lugar de donde vino y empiece de nuevo: se le pedirá que inicie sesión.',
      },
      not_found: {
        heading: 'Página no encontrada',
        advice: 'Compruebe la dirección. Si ha llegado por un enlace, está desactualizado.',
      },
      method_not_allowed: {
        heading: 'Esta página no existe',
        advice: 'Vuelva al lugar de donde vino y empiece de nuevo.',
      },
      rate_limit_exceeded: {
        heading: 'Demasiadas solicitudes',
        advice: 'Espere un momento y vuelva a cargar la página.',
      },
      temporarily_unavailable: {
        heading: 'Un momento, por favor',
        advice: 'Este servidor está ocupado o arrancando. Vuelva a cargar la página en unos segundos.',
      },
      server_error: {
        heading: 'Algo ha fallado',
        advice: 'No es culpa suya. Inténtelo de nuevo; si ocurre otra vez, avise a la administración.',
      },
    },
  },
  byMail: byMailEs,
  ownAccount: ownAccountEs,
}
