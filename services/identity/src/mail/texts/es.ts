import type { MailTexts } from './mail-texts.ts'

const onceInAnHour = 'El enlace funciona una sola vez, durante una hora.'
const nothingHappens = 'Si no lo ha pedido, ignore este correo. Sin el enlace no ocurre nada.'

/** The mails in Spanish. */
export const es: MailTexts = {
  greeting: (username) => (username === undefined ? 'Hola:' : `Hola, ${username}:`),
  orOpen: 'O abra esta dirección en su navegador:',
  reason: (brand) => `${brand} ha enviado este correo porque allí se ha usado esta dirección.`,
  terms: 'Condiciones de uso',
  privacy: 'Privacidad',
  support: 'Ayuda',
  kinds: {
    sign_up: ({ brand }) => ({
      subject: `Termine su registro en ${brand}`,
      lines: [`Elija un nombre de usuario y una contraseña para crear su cuenta en ${brand}.`],
      button: 'Crear la cuenta',
      after: [onceInAnHour, nothingHappens],
    }),
    sign_up_known: ({ brand, username }) => ({
      subject: `Ya tiene una cuenta en ${brand}`,
      lines: [
        `Alguien, probablemente usted, ha querido registrarse en ${brand} con esta dirección. Pertenece a la cuenta ${username}: inicie sesión con ese nombre o con esta dirección.`,
        'Si ya no recuerda la contraseña, puede restablecerla.',
      ],
      button: 'Restablecer la contraseña',
      after: ['Si no ha sido usted, ignore este correo. No ha cambiado nada.'],
    }),
    invitation: ({ brand }) => ({
      subject: `Le invitan a ${brand}`,
      lines: [`Un administrador le invita a crear una cuenta en ${brand}.`],
      button: 'Crear la cuenta',
      after: [
        'El enlace funciona una sola vez, durante siete días.',
        'Si no quiere una cuenta, ignore este correo.',
      ],
    }),
    password_reset: ({ brand, username }) => ({
      subject: `Restablezca su contraseña de ${brand}`,
      lines: [
        `Alguien, probablemente usted, ha pedido restablecer la contraseña de ${username} en ${brand}.`,
      ],
      button: 'Elegir una contraseña nueva',
      after: [onceInAnHour, 'Si no ha sido usted, ignore este correo. Su contraseña no cambia.'],
    }),
    password_changed: ({ brand, username, time }) => ({
      subject: `Su contraseña de ${brand} ha cambiado`,
      lines: [`La contraseña de ${username} en ${brand} se ha cambiado: ${time}.`],
      button: 'No he sido yo: restablecer la contraseña',
      after: ['Si ha sido usted, no tiene que hacer nada.'],
    }),
    address: ({ brand, username }) => ({
      subject: `Confirme su dirección de correo para ${brand}`,
      lines: [`Confirme que esta dirección pertenece a ${username} en ${brand}.`],
      button: 'Confirmar la dirección',
      after: [onceInAnHour, nothingHappens],
    }),
    address_changed: ({ brand, username, address, time }) => ({
      subject: `Su dirección de correo en ${brand} ha cambiado`,
      lines: [
        `La dirección de correo de ${username} en ${brand} se ha cambiado: ${time}. Ahora es ${address}, y ya no se envían correos a esta dirección.`,
      ],
      after: ['Si no ha sido usted, avise de inmediato a los responsables de este servidor.'],
    }),
    new_login: ({ brand, username, browser, ipAddress, time }) => ({
      subject: `Nuevo inicio de sesión en su cuenta de ${brand}`,
      lines: [`${username} ha iniciado sesión con un navegador que no se había usado antes.`],
      facts: [
        ['Navegador', browser],
        ['Dirección IP', ipAddress],
        ['Hora', time],
      ],
      button: 'Ver su cuenta',
      after: [
        'Si ha sido usted, no tiene que hacer nada. Si no, cambie su contraseña y cierre la sesión en la página de su cuenta.',
      ],
    }),
    factor_added: ({ brand, username, time }) => ({
      subject: `Se ha añadido una forma de iniciar sesión a su cuenta de ${brand}`,
      lines: [
        `Se ha añadido una llave de acceso o una aplicación de autenticación a la cuenta ${username} en ${brand}: ${time}.`,
      ],
      button: 'Ver su cuenta',
      after: [
        'Si ha sido usted, no tiene que hacer nada. Si no, cambie de inmediato su contraseña y revise las formas de iniciar sesión en la página de su cuenta.',
      ],
    }),
    factor_removed: ({ brand, username, time }) => ({
      subject: `Se ha quitado una forma de iniciar sesión de su cuenta de ${brand}`,
      lines: [
        `Se ha quitado una llave de acceso o una aplicación de autenticación de la cuenta ${username} en ${brand}: ${time}.`,
      ],
      button: 'Ver su cuenta',
      after: [
        'Si ha sido usted, no tiene que hacer nada. Si no, cambie de inmediato su contraseña y revise las formas de iniciar sesión en la página de su cuenta.',
      ],
    }),
    account_connected: ({ brand, username, connection, time }) => ({
      subject: `Se ha añadido una forma de iniciar sesión a su cuenta de ${brand}`,
      lines: [`Se ha conectado una cuenta de ${connection} a la cuenta ${username} en ${brand}: ${time}.`],
      button: 'Ver las cuentas conectadas',
      after: [
        'Si ha sido usted, no tiene que hacer nada. Si no, desconéctela de inmediato y cambie su contraseña.',
      ],
    }),
    recovery_code_used: ({ brand, username, time }) => ({
      subject: `Se ha usado un código de recuperación de su cuenta de ${brand}`,
      lines: [
        `Alguien ha iniciado sesión en la cuenta ${username} en ${brand} con un código de recuperación: ${time}. Ese código ya no funciona.`,
      ],
      button: 'Ver su cuenta',
      after: [
        'Si ha sido usted, no tiene que hacer nada. Si no, cambie de inmediato su contraseña y revise las formas de iniciar sesión en la página de su cuenta.',
      ],
    }),
    account_deleted: ({ brand, username, time }) => ({
      subject: `Su cuenta en ${brand} se ha eliminado`,
      lines: [
        `La cuenta ${username} en ${brand} se ha eliminado a petición suya: ${time}.`,
        'Se ha cerrado su sesión en todas partes, las aplicaciones han perdido el acceso y se ha eliminado lo que estaba guardado sobre usted.',
      ],
      after: ['Si no ha sido usted, avise de inmediato a los responsables de este servidor.'],
    }),
    organization_invitation: ({ brand, organization, inviter }) => ({
      subject: `Le invitan a una organización en ${brand}`,
      lines: [`Le invitan a unirse a una organización en ${brand}.`],
      facts: [
        ['Organización', organization],
        ['Invitado por', inviter],
      ],
      button: 'Ver la invitación',
      after: [
        'El enlace funciona una sola vez, durante siete días.',
        'Si no quiere unirse, ignore este correo.',
      ],
    }),
    domain_missing: ({ brand, organization, domain, time }) => ({
      subject: `Falta el registro DNS de su dominio en ${brand}`,
      lines: [
        `Falta el registro DNS que demuestra un dominio de su organización en ${brand}.`,
        `Si el registro no vuelve antes de esta fecha, la organización perderá el dominio: ${time}.`,
      ],
      facts: [
        ['Organización', organization],
        ['Dominio', domain],
      ],
      button: 'Ver sus organizaciones',
      after: [],
    }),
    domain_lost: ({ brand, organization, domain }) => ({
      subject: `Su organización ha perdido un dominio en ${brand}`,
      lines: [
        `El registro DNS que demuestra un dominio de su organización en ${brand} falta desde hace siete días, así que la organización ha perdido el dominio.`,
      ],
      facts: [
        ['Organización', organization],
        ['Dominio', domain],
      ],
      button: 'Ver sus organizaciones',
      after: [
        'Para recuperarlo, vuelva a añadir el registro y compruebe el dominio en la página de la organización.',
      ],
    }),
  },
}
