import type { Texts } from './en.ts'

export const texts = {
  heading: 'Invitaciones',
  invite: 'Invitar a alguien',
  role: 'Papel',
  submit: 'Enviar la invitación',
  none: 'No hay ninguna invitación abierta.',
  by: (name) => `Invitado por ${name}`,
  sent: (time) => `enviada ${time}`,
  expires: (time) => `válida hasta ${time}`,
  expired: 'caducada',
  again: 'Enviar de nuevo',
  withdraw: 'Retirar',
  withdrawal: {
    title: (address) => `Retirar la invitación a ${address}`,
    lead: 'El enlace del correo deja de funcionar de inmediato.',
    submit: 'Retirar la invitación',
  },
  gone: 'Esta invitación ya no está abierta.',
  problems: {
    member: 'Esta ya es la dirección de un miembro.',
    tooManyMails: 'Ya se han enviado varios correos a esta dirección. Inténtelo de nuevo dentro de una hora.',
    tooManyToday:
      'La organización ya ha enviado hoy todas las invitaciones que puede. Inténtelo de nuevo mañana.',
    tooManyOpen: 'La organización tiene todas las invitaciones abiertas que puede tener. Retire antes una.',
    noMails: 'Este servidor no envía correos, así que no se puede invitar a nadie.',
  },
  join: {
    title: (organization) => `Unirse a ${organization}`,
    lead: (organization) => `Le invitan a unirse a ${organization}.`,
    by: (name, organization) => `${name} le invita a unirse a ${organization}.`,
    as: (role) => `Su papel: ${role}`,
    for: (address) => `La invitación es para ${address}.`,
    loggedInAs: (user) => `Ha iniciado sesión como ${user}.`,
    submit: 'Unirse a la organización',
    hint: 'Si no quiere unirse, cierre esta página. No ocurre nada.',
    otherAddress: (user) =>
      `Ha iniciado sesión como ${user}, una cuenta con otra dirección de correo. Inicie sesión con la cuenta que tiene esta dirección.`,
    otherAccount: 'Iniciar sesión con otra cuenta',
    unverified: (user) =>
      `Ha iniciado sesión como ${user}. Confirme antes su dirección de correo y abra de nuevo el enlace de la invitación.`,
    confirm: 'Confirmar la dirección',
    logIn: 'Iniciar sesión',
    signUp: 'Crear una cuenta',
    stranger: 'Inicie sesión con la cuenta que tiene esta dirección.',
    newcomer: 'Todavía no hay ninguna cuenta con esta dirección.',
    noAccount: 'Si no tiene cuenta, pida una a los responsables de este servidor.',
    tooMany: 'Está en todas las organizaciones en las que se puede estar. Salga antes de una.',
    full: 'La organización tiene todos los miembros que puede tener.',
  },
} satisfies Texts
