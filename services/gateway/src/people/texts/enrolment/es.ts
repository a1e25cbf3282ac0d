import type { Texts } from './en.ts'

export const texts = {
  choose: {
    heading: 'Añadir un segundo factor',
    lead: 'Aquí no basta con su contraseña. Elija qué usará además de ella; más adelante podrá añadir otros.',
    passkey: 'Llave de acceso',
    passkeyLead: 'Su huella digital, su rostro o un PIN en este dispositivo, o una llave de seguridad.',
    addPasskey: 'Añadir una llave de acceso',
    app: 'Aplicación de autenticación',
    appLead: 'Una aplicación de su teléfono que muestra un código nuevo cada 30 segundos.',
    addApp: 'Configurar una aplicación',
    nothing: 'Este servidor no ofrece ningún segundo factor que pueda añadir. Diríjase a la administración.',
  },
  addPasskey: {
    heading: 'Añadir una llave de acceso',
    lead: 'Con una llave de acceso inicia sesión con su huella digital, su rostro, un PIN o una llave de seguridad, incluso sin contraseña.',
    name: 'Nombre',
    nameHint: 'Para que la reconozca más adelante.',
    submit: 'Añadir la llave de acceso',
    cancelled:
      'No se ha añadido ninguna llave de acceso: la operación se ha cancelado o ha tardado demasiado.',
    invalid: 'No se ha podido añadir la llave de acceso. Inténtelo de nuevo.',
    taken: 'Este dispositivo o esta llave ya tiene una llave de acceso para esta cuenta.',
    tooMany: 'Ya tiene todas las llaves de acceso que puede tener. Elimine una primero.',
    badName: 'El nombre debe tener de 1 a 100 caracteres visibles.',
    unavailable: 'Este servidor no ofrece llaves de acceso.',
  },
  addApp: {
    heading: 'Configurar una aplicación de autenticación',
    scan: 'Escanee este código QR con la aplicación.',
    picture: 'Código QR para la aplicación. Contiene la misma clave que aparece debajo.',
    type: 'O escriba esta clave en la aplicación:',
    open: 'O abrirlo en la aplicación de este dispositivo',
    code: 'Código que muestra la aplicación',
    submit: 'Finalizar',
    wrong: 'Este código no es correcto. Compruebe la hora de su teléfono y pruebe el código siguiente.',
    unavailable: 'Este servidor no ofrece aplicaciones de autenticación.',
  },
  codes: {
    heading: 'Sus códigos de recuperación',
    lead: 'Si pierde su segundo factor, inicie sesión con su contraseña y uno de estos códigos. Cada uno sirve una sola vez.',
    keep: 'Imprímalos o anótelos y guárdelos en un lugar seguro. No se mostrarán de nuevo.',
    replaced: 'Sus códigos anteriores ya no funcionan.',
    stored: 'Ya los he guardado',
  },
} satisfies Texts
