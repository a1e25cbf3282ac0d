import type { Texts } from './en.ts'

export const texts = {
  heading: (connection) => `Prueba de ${connection}`,
  works: 'El inicio de sesión funciona. No ha entrado nadie y no se ha guardado nada.',
  fails: 'El inicio de sesión no funciona. No se ha guardado nada.',
  would: 'Qué haría un inicio de sesión',
  mapped: 'Qué da la asignación',
  existing: (username) => `Entraría ${username}.`,
  created: 'Se crearía un usuario nuevo.',
  groups: 'Grupos',
  roles: 'Roles',
  roleOf: (role, resource) => `${role} (${resource})`,
  nothing: 'La asignación no da nada.',
  remarks: 'Reglas sin efecto',
  claims: 'Qué ha dicho el proveedor',
  noClaims: 'El proveedor no ha dicho nada.',
  claim: 'Claim',
  value: 'Valor',
  again: 'Probar de nuevo',
  back: 'Volver a la conexión',
  problems: {
    unknownLogin: 'La prueba es demasiado antigua o se empezó en otro navegador. Empiécela de nuevo.',
    denied: 'El inicio de sesión se canceló en el proveedor, o este lo denegó.',
    unreachable:
      'El proveedor no responde a tiempo. Compruebe el emisor y que este servidor puede llegar a él.',
    badAnswer:
      'La respuesta del proveedor no es válida. Compruebe el id de cliente, el secreto o la clave, el emisor y los valores acr.',
    disabled: 'El usuario al que pertenece esta cuenta está desactivado.',
    noConnection:
      'La conexión está desactivada, o lo está su organización. Actívela antes de que alguien inicie sesión.',
    notInvited: 'Nadie ha vinculado esta cuenta, y la conexión no crea un usuario para esta persona.',
    hasAccount:
      'Un usuario ya tiene esta dirección. Inicia sesión una vez de otra forma y vincula la cuenta en la página de su cuenta.',
    noMember: 'El usuario que ha vinculado esta cuenta no es miembro de la organización.',
    linkedToOther: 'La cuenta está vinculada a otro usuario.',
    session: 'Su sesión se cerró mientras tanto, o no puede probar esta conexión.',
    full: 'La organización tiene todos los miembros que puede tener.',
    other: 'El inicio de sesión se ha rechazado.',
  },
} satisfies Texts
