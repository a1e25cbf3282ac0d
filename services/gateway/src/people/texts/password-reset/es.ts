import type { Texts } from './en.ts'

export const texts = {
  title: 'Restablecer la contraseña',
  lead: 'Enviamos un correo con un enlace a la dirección de correo de su cuenta.',
  username: 'Nombre de usuario o dirección de correo',
  missing: 'Escriba su nombre de usuario o su dirección de correo.',
  sent: 'Si hay una cuenta con este nombre o esta dirección, hemos enviado un correo a su dirección. Abra el enlace que contiene para elegir una contraseña nueva.',
  sentHint:
    'El enlace funciona durante una hora. Si no llega ningún correo, mire en la carpeta de correo no deseado. Una cuenta cuya dirección nunca se confirmó no recibe correos: pida ayuda a un administrador.',
  back: 'Volver al inicio de sesión',
  off: 'Este servidor no envía correos. Pida una contraseña nueva a un administrador.',
  choose: 'Elegir una contraseña nueva',
  chooseLead: (user) =>
    `Es para la cuenta ${user}. Al guardarla, se cierran todas sus sesiones y las aplicaciones pierden su acceso.`,
  newPassword: 'Contraseña nueva',
  submit: 'Guardar la contraseña',
  another: 'Pedir otro enlace',
  done: 'Su contraseña ha cambiado. Inicie sesión con la nueva.',
} satisfies Texts
