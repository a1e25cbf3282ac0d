import type { Texts } from './en.ts'

export const texts = {
  heading: 'Sus datos',
  lead: 'Las aplicaciones a las que permita ver su perfil reciben estos datos. Lo que esté vacío no se muestra a nadie.',
  addressByAdministrators: 'Solo la administración puede cambiar su dirección de correo electrónico.',
  save: 'Guardar',
  yes: 'sí',
  no: 'no',
  choices: { yes: 'Sí', no: 'No', none: 'Sin especificar', leave: (now) => `Dejar como está: ${now}` },
  faults: {
    text: (label, most) => `«${label}» debe ser un texto visible de 1 a ${most} caracteres.`,
    picture: (label) => `«${label}» debe ser una dirección https sin contraseña.`,
    language: (label) => `«${label}» debe ser un código de idioma, por ejemplo en o de-CH.`,
    zone: (label) => `«${label}» debe ser una zona horaria, por ejemplo Europe/Berlin.`,
  },
} satisfies Texts
