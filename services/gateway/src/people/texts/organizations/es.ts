import type { Texts } from './en.ts'

export const texts = {
  heading: 'Sus organizaciones',
  link: 'Organizaciones',
  lead: 'Usted actúa por una organización en las aplicaciones que la piden.',
  none: 'No está en ninguna organización. Un propietario puede invitarle por correo.',
  back: 'Volver a sus organizaciones',
  backTo: (organization) => `Volver a ${organization}`,
  unknown: 'No existe esta organización o usted no es miembro de ella.',
  notAllowed: 'Solo los propietarios y administradores de la organización ven esta página.',
  ownersOnly: 'Solo los propietarios de la organización ven esta página.',
  ownersOtherWay:
    'Ha iniciado sesión a través de la organización, así que aquí actúa como administrador. Para ver esta página, inicie sesión de otra forma.',
  secondFactor:
    'Esta organización pide dos factores. Añada un segundo en la página de su cuenta y vuelva después.',
  roles: {
    owner: 'Propietario',
    admin: 'Administrador',
    member: 'Miembro',
  },
  youAre: (role) => `Su papel aquí: ${role}`,
  since: (time) => `desde ${time}`,
  manage: 'Administrar la organización',
  leave: {
    link: 'Salir de la organización',
    title: (organization) => `Salir de ${organization}`,
    lead: 'Pierde de inmediato lo que tiene en ella: las aplicaciones que usa para esta organización pierden el acceso. Solo vuelve con una nueva invitación.',
    submit: 'Salir de la organización',
    lastOwner: 'Usted es el último propietario, que debe quedarse. Haga antes propietario a otro miembro.',
  },
  members: {
    heading: 'Miembros',
    search: 'Buscar por nombre',
    submit: 'Buscar',
    none: 'No se ha encontrado a nadie.',
    you: 'usted',
    disabled: 'desactivado',
    roleOf: (name) => `Papel de ${name}`,
    change: 'Cambiar',
    remove: 'Quitar',
    next: 'Página siguiente',
    first: 'Primera página',
    removal: {
      title: (name) => `Quitar a ${name}`,
      lead: 'Esta persona pierde de inmediato lo que tiene en la organización: las aplicaciones que usa para ella pierden el acceso.',
      submit: 'Quitar al miembro',
    },
    refused:
      'No se ha cambiado nada: el último propietario se queda, y solo los propietarios cambian a los propietarios.',
    gone: 'Esta persona ya no es miembro.',
  },
  settings: {
    heading: 'Ajustes',
    name: 'Nombre',
    logo: 'Dirección del logotipo',
    logoHint: 'Una dirección https de una imagen. Déjelo vacío para no tener ninguna.',
    color: 'Color',
    colorHint:
      'El color de los botones y enlaces cuando los miembros inician sesión para la organización, por ejemplo #0b5cad. Déjelo vacío para usar el de este servidor.',
    secondFactor: 'Los miembros deben iniciar sesión con dos factores',
    secondFactorHint: 'Quien no tenga un segundo factor añade uno antes de actuar por la organización.',
    ssoRequired: 'Los miembros deben iniciar sesión por una conexión de la organización',
    ssoRequiredHint:
      'Las contraseñas, las llaves de acceso y otras formas dejan entonces de valer para la organización. Los propietarios siempre pueden entrar de otra forma, para que nadie se quede fuera. Hacen falta un dominio demostrado y una conexión activa.',
    ssoInEffect: 'Está en vigor ahora.',
    ssoNotInEffect:
      'No está en vigor ahora: la organización no tiene un dominio demostrado o una conexión activa.',
    save: 'Guardar',
    faults: {
      name: 'El nombre debe tener de 1 a 200 caracteres visibles.',
      logo: 'La dirección del logotipo debe ser una URL https sin contraseña.',
      color: 'El color debe escribirse como #0b5cad.',
    },
    outdated: 'Otra persona ha cambiado los ajustes mientras tanto. Revíselos y guarde los suyos de nuevo.',
  },
  done: {
    left: 'Ha salido de la organización.',
    joined: 'Ahora es miembro.',
    role: 'El papel se ha cambiado.',
    removed: 'Se ha quitado al miembro.',
    settings: 'Los ajustes se han guardado.',
    invited: 'La invitación está en camino.',
    again: 'Un nuevo correo está en camino. El enlace anterior ya no funciona.',
    withdrawn: 'La invitación se ha retirado. Su enlace ya no funciona.',
    'domain-added': 'El dominio se ha añadido. Cree el registro y compruébelo después.',
    'domain-proven': 'El dominio está demostrado.',
    'domain-removed': 'El dominio se ha quitado.',
    'connection-added':
      'La conexión se ha añadido. Registre sus direcciones en el proveedor y después pruébela.',
    'connection-saved': 'La conexión se ha guardado.',
    'connection-disabled': 'La conexión está desactivada.',
    'connection-enabled': 'La conexión está activada.',
    'connection-deleted': 'La conexión se ha eliminado.',
    'rule-added': 'La regla se ha añadido. Vale desde el próximo inicio de sesión de cada miembro.',
    'rules-removed':
      'Las reglas se han quitado. Lo que daban se quita en el próximo inicio de sesión de cada miembro.',
  },
} satisfies Texts
