import type { Texts } from './en.ts'

export const texts = {
  address: 'Dirección de correo',
  send: 'Enviar el correo',
  wrongAddress: 'Escriba una dirección de correo, por ejemplo ana@example.com.',
  checkMail: 'Revise su correo',
  over: {
    title: 'Este enlace ya no funciona',
    lead: 'Ya se ha usado o ha caducado. Un enlace también deja de funcionar cuando cambia la contraseña o la dirección.',
    toAccount: 'Ir a su cuenta',
  },
} satisfies Texts
