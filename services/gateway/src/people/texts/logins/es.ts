import type { Texts } from './en.ts'

export const texts = {
  link: 'Sus inicios de sesión',
  heading: 'Sus inicios de sesión',
  lead: 'Todos los intentos de iniciar sesión en su cuenta en los últimos 30 días, los más recientes primero. Si no reconoce alguno que tuvo éxito, cambie su contraseña.',
  none: 'No hubo ninguno en los últimos 30 días.',
  older: 'Inicios de sesión anteriores',
  newest: 'Inicios de sesión más recientes',
  outcomes: {
    succeeded: 'Sesión iniciada',
    wrongPassword: 'Contraseña incorrecta',
    disabled: 'Su cuenta estaba desactivada',
    tooManyFailures: 'Rechazado tras demasiados intentos fallidos',
    providerRefused: 'Cancelado o rechazado en el proveedor',
    providerFailed: 'El proveedor no respondió como se esperaba',
    wrongFactor: 'Segundo factor incorrecto',
    tooManyCodes: 'Rechazado tras demasiados códigos incorrectos',
    factorMissing: 'No se indicó el segundo factor',
    factorNotAsked: 'Rechazado: esta aplicación no puede pedir su segundo factor',
    notFinished: 'No se completó a tiempo',
    passkeyRefused: 'Llave de acceso no aceptada',
    failed: 'Fallido',
  },
} satisfies Texts
