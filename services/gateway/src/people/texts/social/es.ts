import type { Texts } from './en.ts'

const startAgain = 'Vuelva a la página de inicio de sesión y empiece de nuevo.'

export const texts = {
  unreachable: (provider) => ({
    heading: `${provider} no responde`,
    description: `${provider} no responde en este momento.`,
    advice:
      'No se ha iniciado la sesión. Inténtelo de nuevo dentro de un minuto o inicie sesión de otra forma.',
  }),
  notOffered: (provider) => ({
    heading: `${provider} no está disponible aquí`,
    description: `El inicio de sesión con ${provider} no está disponible en este servidor.`,
    advice: 'Inicie sesión de otra forma.',
  }),
  notConfigured: (provider) => ({
    heading: `${provider} no está configurado aquí`,
    description: `El inicio de sesión con ${provider} no está configurado en este servidor.`,
    advice: 'Inicie sesión de otra forma. La administración puede configurarlo.',
  }),
  unknownLogin: {
    heading: 'Este inicio de sesión ha terminado',
    description: 'El inicio de sesión ya había terminado, tardó demasiado o se empezó en otro navegador.',
    advice: startAgain,
  },
  denied: (provider) => ({
    heading: 'No se ha iniciado la sesión',
    description: `${provider} indica que el inicio de sesión se canceló o no está permitido.`,
    advice: 'Si no quería cancelarlo, vuelva a la página de inicio de sesión y empiece de nuevo.',
  }),
  disabled: {
    heading: 'No puede iniciar sesión',
    description: 'Su cuenta está desactivada aquí.',
    advice: 'Pida a la administración que active su cuenta.',
  },
  untrusted: (provider) => ({
    heading: `Hay un problema con la respuesta de ${provider}`,
    description: `La respuesta de ${provider} no es de confianza, así que no se ha iniciado la sesión.`,
    advice: `${startAgain} Si ocurre otra vez, avise a la administración.`,
  }),
  unknownProvider: 'No hay ningún servicio de inicio de sesión con este nombre.',
  toLogin: 'Ir a la página de inicio de sesión',
} satisfies Texts
