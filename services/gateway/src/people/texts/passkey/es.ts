import type { Texts } from './en.ts'

export const texts = {
  logIn: 'Iniciar sesión con una llave de acceso',
  use: 'Usar una llave de acceso',
  refused: 'No se ha aceptado esta llave de acceso. Inténtelo de nuevo o inicie sesión de otra manera.',
  cancelled: 'No se ha usado la llave de acceso: la operación se ha cancelado o ha tardado demasiado.',
  unsupported: 'Este navegador no puede usar llaves de acceso.',
  noScript: 'Las llaves de acceso necesitan JavaScript, que está desactivado en este navegador.',
} satisfies Texts
