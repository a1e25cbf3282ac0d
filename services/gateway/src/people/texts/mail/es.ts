import type { Texts } from './en.ts'

export const texts = {
  address: 'Dirección de correo',
  send: 'Enviar el correo',
  wrongAddress: 'Escriba una dirección de correo, por ejemplo ana@example.com.',
  checkMail: 'Revise su correo',
  over: {
    title: 'Este enlace ya no funciona',
    lead: 'Ya se ha usado, o se ha acabado su tiempo. Un enlace también termina cuando cambia la contraseña o la dirección.',
    toAccount: 'Ir a su cuenta',
  },
  passwordRule: (least) => `Al menos ${least} caracteres.`,
} satisfies Texts
