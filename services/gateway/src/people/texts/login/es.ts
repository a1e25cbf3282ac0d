import { minutesIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
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
  forgot: '¿Ha olvidado la contraseña?',
  signUp: 'Crear una cuenta',
} satisfies Texts
