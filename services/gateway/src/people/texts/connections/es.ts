import type { Texts } from './en.ts'

export const texts = {
  byAddress: 'Iniciar sesión a través de su organización',
  otherWay: {
    organization: (name) => `Para continuar en ${name}, inicie sesión a través de ella.`,
    factors: (name) => `Para continuar en ${name}, inicie sesión con dos factores.`,
    account: 'Esta aplicación necesita que inicie sesión con su propia cuenta.',
    page: 'Para ver esa página, inicie sesión de otra forma.',
  },
  address: {
    lead: 'Escriba su dirección de correo del trabajo. Nos dice dónde inicia sesión.',
    label: 'Dirección de correo electrónico',
    submit: 'Continuar',
    missing: 'Escriba su dirección de correo electrónico.',
    unknown:
      'Esta dirección no lleva al inicio de sesión de ninguna organización. Revísela o inicie sesión de otra forma.',
    otherWays: 'Otras formas de iniciar sesión',
  },
  question: {
    title: (name) => `¿Iniciar sesión a través de ${name}?`,
    lead: (user) =>
      `Ha iniciado sesión como ${user}. Un enlace de otro sitio le ha traído aquí. Si ahora inicia sesión como otra persona, esa sesión termina.`,
    submit: 'Iniciar sesión',
    stay: 'Seguir como ahora',
  },
  problems: {
    notInvited: (provider) => ({
      heading: 'No tiene ninguna cuenta aquí',
      description: `Ha iniciado sesión a través de ${provider}, pero ninguna cuenta de aquí pertenece a esa sesión.`,
      advice: 'Pida a un administrador que le invite. Si tiene una cuenta, inicie sesión de otra forma.',
    }),
    hasAccount: (provider) => ({
      heading: 'Ya tiene una cuenta',
      description: `Existe una cuenta con su dirección de correo, pero todavía no está vinculada a ${provider}.`,
      advice: `Inicie sesión de otra forma por esta vez. Después podrá vincular ${provider} a su cuenta.`,
    }),
    noMember: (provider) => ({
      heading: 'No es miembro de esta organización',
      description: `El inicio de sesión a través de ${provider} es para los miembros de su organización, y su cuenta no es uno de ellos.`,
      advice: 'Pida a un administrador de la organización que le invite, o inicie sesión de otra forma.',
    }),
    linkedToOther: (provider) => ({
      heading: 'Este inicio de sesión pertenece a otra cuenta',
      description: `La cuenta de ${provider} ya está vinculada a otra cuenta de aquí.`,
      advice: 'Elija allí otra cuenta, o inicie sesión aquí con la otra cuenta y desvincúlela.',
    }),
    session: (provider) => ({
      heading: 'Debe iniciar sesión de nuevo',
      description: `Su sesión aquí terminó mientras estaba en ${provider}, o no permite hacer esto.`,
      advice: 'Inicie sesión y empiece de nuevo.',
    }),
    full: (provider) => ({
      heading: 'La organización está completa',
      description: `La organización de ${provider} tiene todos los miembros que puede tener.`,
      advice: 'Avise a un administrador de la organización.',
    }),
  },
  own: {
    heading: 'Cuentas vinculadas',
    link: 'Ver las cuentas vinculadas',
    lead: 'Con estas cuentas de otros sitios puede iniciar sesión aquí.',
    none: 'No hay ninguna cuenta de otro sitio vinculada a la suya.',
    of: (organization) => `Solo vale en ${organization}`,
    since: (time) => `vinculada desde ${time}`,
    badge: 'No funciona',
    orphaned: 'Ahora el proveedor es otro, que no conoce esta cuenta.',
    disabled: 'De momento nadie puede iniciar sesión a través de este proveedor.',
    offers: 'Vincular otra cuenta',
    done: { connected: 'La cuenta está vinculada.', removed: 'La cuenta ya no está vinculada.' },
    connect: {
      title: (name) => `¿Vincular ${name} a su cuenta?`,
      lead: 'Ahora inicia sesión allí. A partir de entonces podrá iniciar sesión aquí por ese medio.',
      submit: 'Vincular',
    },
    remove: {
      title: (name) => `¿Desvincular ${name}?`,
      lead: 'Ya no podrá iniciar sesión por ese medio. Se cerrará la sesión donde lo haya usado, y las aplicaciones perderán el acceso que les dio entonces.',
      submit: 'Desvincular',
      last: 'No tiene otra forma de iniciar sesión. Configure antes una contraseña o una clave de acceso.',
    },
  },
} satisfies Texts
