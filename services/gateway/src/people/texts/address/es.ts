import type { Texts } from './en.ts'

export const texts = {
  own: {
    title: 'Su dirección de correo',
    confirmed: (address) => `Su dirección es ${address}. Está confirmada.`,
    unconfirmed: (address) => `Su dirección es ${address}. No está confirmada.`,
    none: 'Aquí no tiene dirección de correo.',
    confirm: 'Enviar un correo para confirmarla',
    change: 'Cambiar su dirección',
    add: 'Añadir su dirección',
    new: 'Dirección de correo nueva',
    hint: 'Enviamos un correo con un enlace a la dirección nueva. La dirección cambia cuando abre el enlace.',
    link: 'Cambiar su dirección de correo',
    unchanged: 'Esta ya es su dirección, y está confirmada.',
    tooMany: 'Ya se han enviado varios correos a esta dirección. Espere una hora y vuelva a intentarlo.',
    off: 'Este servidor no envía correos. Pida a un administrador que cambie su dirección.',
    sent: 'Hemos enviado un correo. Su dirección cambia cuando abra el enlace que contiene.',
    done: 'Su dirección de correo está confirmada.',
  },
  confirm: {
    title: 'Confirmar su dirección',
    lead: (address, user) => `La dirección ${address} pasa a ser la de la cuenta ${user}.`,
    submit: 'Confirmar',
    hint: 'Si no es su cuenta, cierre esta página. No cambia nada.',
    done: 'Su dirección está confirmada',
    close: 'Ya puede cerrar esta página.',
  },
} satisfies Texts
