import type { Texts } from './en.ts'

export const texts = {
  title: 'Registro',
  heading: 'Crear una cuenta',
  lead: 'Le enviamos un correo con un enlace. Ábralo para elegir su nombre de usuario y su contraseña.',
  haveAccount: 'Ya tengo una cuenta: iniciar sesión',
  sent: (address) =>
    `Hemos enviado un correo a ${address}. Abra el enlace que contiene para crear su cuenta.`,
  sentHint:
    'El enlace funciona durante una hora. Si no llega ningún correo, mire en la carpeta de correo no deseado y compruebe la dirección.',
  anotherAddress: 'Escribir otra dirección',
  closed: 'El registro está cerrado en este servidor. Pida una cuenta a un administrador.',
  confirmed: (address) => `Su dirección ${address} está confirmada. Elija cómo inicia sesión.`,
  username: 'Nombre de usuario',
  usernameHint: 'Su dirección, u otro nombre sin espacios. Puede iniciar sesión con ambos.',
  password: 'Contraseña',
  submit: 'Crear la cuenta',
  again: 'Registrarse de nuevo',
  logIn: 'Iniciar sesión',
} satisfies Texts
