import type { Texts } from './en.ts'

export const texts = {
  change: 'Cambiar la contraseña',
  current: 'Contraseña actual',
  new: 'Contraseña nueva',
  rule: (least) => `Al menos ${least} caracteres.`,
  again: 'Repita la contraseña nueva',
  keepAccess: 'Mantener las demás sesiones y el acceso de las aplicaciones',
  keepAccessHint:
    'Deje esta casilla sin marcar si otra persona puede conocer su contraseña actual: se cerrarán sus demás sesiones y todas las aplicaciones perderán el acceso.',
  submit: 'Cambiar la contraseña',
  yours: 'Su contraseña',
  notNeeded: (providers) =>
    `Aquí no necesita contraseña: inicia sesión con ${providers}. Si desea una, pídala a la administración.`,
  differ: 'Las dos contraseñas nuevas no coinciden. No se ha cambiado nada.',
  wrong: 'La contraseña actual no es correcta. No se ha cambiado nada.',
  unacceptable: () => 'Esta contraseña nueva no es válida. Elija otra.',
  show: 'Mostrar',
  hide: 'Ocultar',
  faults: {
    too_short: (least) => `La contraseña debe tener al menos ${least} caracteres.`,
    too_long: 'La contraseña es demasiado larga.',
    too_common: 'Es una de las contraseñas más comunes, las primeras que se prueban al adivinar. Elija otra.',
    like_name: 'La contraseña no debe ser su nombre de usuario ni su dirección de correo.',
    taken: 'Este nombre de usuario ya está en uso. Elija otro.',
    an_address: 'El nombre de usuario no debe ser la dirección de correo de otra persona.',
    a_link: 'El nombre de usuario no debe contener / ni :, ni empezar por www.',
    invalid:
      'Este nombre de usuario no sirve: debe tener de 1 a 200 caracteres visibles, sin espacios, y no empezar por client_.',
  },
} satisfies Texts
