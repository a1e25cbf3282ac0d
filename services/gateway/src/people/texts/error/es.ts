import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

const appIsWrong =
  'Vuelva a la aplicación e inténtelo de nuevo. Si ocurre otra vez, avise a los responsables de la aplicación.'

export const texts = {
  toAccount: 'Ir a su cuenta',
  toDocumentation: 'Documentación: el significado de cada error (en inglés)',
  details: 'Detalles para desarrolladores',
  code: 'Error',
  description: 'Descripción',
  trace: 'Identificador de la traza',
  otherSite: (ours) =>
    `Este formulario no se envió desde una página de este servidor. Abra ${ours} e inténtelo allí de nuevo.`,
  wait: (seconds) => `Puede intentarlo de nuevo ${waitIn('es', seconds)}.`,
  other: { heading: 'Esto no funciona', advice: appIsWrong },
  byCode: {
    invalid_request: { heading: 'Esta solicitud no funciona', advice: appIsWrong },
    invalid_client: { heading: 'Esta aplicación no se conoce aquí', advice: appIsWrong },
    access_denied: {
      heading: 'No tiene permiso para hacer esto',
      advice: 'Si cree que debería tenerlo, consulte a la administración.',
    },
    login_required: {
      heading: 'Su sesión ha terminado',
      advice: 'Vuelva al lugar de donde vino y empiece de nuevo: se le pedirá que inicie sesión.',
    },
    not_found: {
      heading: 'Página no encontrada',
      advice: 'Compruebe la dirección. Si ha llegado por un enlace, está desactualizado.',
    },
    method_not_allowed: {
      heading: 'Esta página no existe',
      advice: 'Vuelva al lugar de donde vino y empiece de nuevo.',
    },
    rate_limit_exceeded: {
      heading: 'Demasiadas solicitudes',
      advice: 'Espere un momento y vuelva a cargar la página.',
    },
    temporarily_unavailable: {
      heading: 'Un momento, por favor',
      advice: 'Este servidor está ocupado o arrancando. Vuelva a cargar la página en unos segundos.',
    },
    server_error: {
      heading: 'Algo ha fallado',
      advice: 'No es culpa suya. Inténtelo de nuevo; si ocurre otra vez, avise a la administración.',
    },
  },
} satisfies Texts
