import type { Texts } from './en.ts'

export const texts = {
  data: {
    title: 'Descargar sus datos',
    lead: 'Recibirá un archivo con todo lo que está guardado aquí sobre usted: sus datos, las aplicaciones con acceso a su cuenta, dónde y cómo ha iniciado sesión, sus inicios de sesión de los últimos 30 días y los correos que se le han enviado.',
    hint: 'El archivo está en formato JSON, pensado para programas pero legible también para las personas. No contiene contraseñas ni códigos. No lo comparta.',
    submit: 'Descargar el archivo',
  },
  deletion: {
    title: 'Eliminar su cuenta',
    lead: 'Esto no se puede deshacer. Nadie puede recuperar la cuenta, tampoco la administración.',
    consequences: [
      'Se cierra su sesión en todas partes.',
      'Las aplicaciones pierden el acceso de inmediato. Lo que ellas mismas han guardado sigue en su poder.',
      'Se eliminan sus datos, sus llaves de acceso y otras formas de iniciar sesión, sus inicios de sesión y sus correos.',
    ],
    downloadFirst: 'Descargar antes sus datos',
    confirm: (user) => `Para confirmar, escriba su nombre de usuario: ${user}`,
    label: 'Su nombre de usuario',
    submit: 'Eliminar la cuenta definitivamente',
    wrong: 'Ese no es su nombre de usuario. No se ha eliminado nada.',
    lastOwner:
      'Usted es la última persona con todos los permisos de administración de este servidor, así que su cuenta no se puede eliminar. Dé antes todos los permisos a otra persona.',
    ownsOrganization: (organization) =>
      `Usted es la última persona propietaria de ${organization}, que tiene otros miembros, así que su cuenta no se puede eliminar. Haga antes propietario a otro miembro.`,
    off: 'En este servidor, solo la administración puede eliminar cuentas.',
  },
  deleted: {
    heading: 'Su cuenta se ha eliminado',
    lead: 'Se ha cerrado su sesión en todas partes y las aplicaciones han perdido el acceso. Ya puede cerrar esta página.',
  },
} satisfies Texts
