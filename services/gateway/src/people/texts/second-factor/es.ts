import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: 'Un paso más',
  loggingIn: (user) => `Está iniciando sesión como ${user}.`,
  loggedIn: (user) => `Ha iniciado sesión como ${user}. Aquí también se necesita su segundo factor.`,
  code: 'Código de su aplicación de autenticación',
  codeHint: 'Seis cifras que cambian cada 30 segundos.',
  submit: 'Continuar',
  recovery: 'Usar un código de recuperación',
  recoveryCode: 'Código de recuperación',
  recoveryHint: (left) => `Códigos restantes: ${left}. Cada uno sirve una sola vez.`,
  nothing:
    'Ninguno de sus segundos factores funciona ahora en este servidor. Pida a la administración que los restablezca.',
  somebodyElse: 'Iniciar sesión con otra cuenta',
  missing: 'Introduzca el código.',
  wrongCode: 'Este código no es correcto o ya se ha usado. Espere al siguiente e inténtelo de nuevo.',
  wrongRecoveryCode: 'Este código de recuperación no es correcto o ya se ha usado.',
  tooMany: (seconds) => `Demasiados códigos incorrectos. Vuelva a intentarlo ${waitIn('es', seconds)}.`,
  ended:
    'Este inicio de sesión ha tardado demasiado o ha habido demasiados códigos incorrectos. Inicie sesión de nuevo.',
} satisfies Texts
