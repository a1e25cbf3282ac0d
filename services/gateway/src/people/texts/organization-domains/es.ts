import type { Texts } from './en.ts'

export const texts = {
  heading: 'Dominios',
  lead: 'La organización demuestra que un dominio es suyo con un registro TXT en el DNS. Hasta entonces, el dominio no significa nada aquí.',
  add: 'Añadir un dominio',
  domain: 'Dominio',
  submit: 'Añadir el dominio',
  none: 'La organización aún no tiene dominios.',
  states: {
    unproven: 'no demostrado',
    proven: 'demostrado',
    missing: 'falta el registro',
    lost: 'perdido',
  },
  record: 'Cree este registro TXT donde administra el DNS del dominio y déjelo ahí: se busca cada día.',
  recordName: 'Nombre',
  recordValue: 'Valor',
  provenAt: (time) => `demostrado ${time}`,
  checkedAt: (time) => `comprobado por última vez ${time}`,
  missingSince: (time) =>
    `El registro falta desde ${time}. Tras siete días, la organización pierde el dominio.`,
  lost: 'El registro ha faltado siete días. Créelo de nuevo y compruébelo para recuperar el dominio.',
  check: 'Comprobar ahora',
  remove: 'Quitar',
  removal: {
    title: (domain) => `Quitar ${domain}`,
    lead: 'La organización deja de tener el dominio, y otra organización puede demostrarlo.',
    submit: 'Quitar el dominio',
  },
  gone: 'La organización ya no tiene este dominio.',
  problems: {
    invalid: 'Indique un dominio, por ejemplo example.com.',
    publicSuffix:
      'Cualquiera puede registrar un dominio por debajo de este, así que nadie puede demostrarlo. Indique un dominio propio.',
    tooMany: 'La organización tiene todos los dominios que puede tener. Quite antes uno.',
    missing: 'No se ha encontrado el registro. Uno nuevo puede tardar una hora en verse.',
    taken: 'El registro está ahí, pero otra organización tiene este dominio. Antes debe quitarlo.',
    noAnswer: 'El DNS no ha respondido. Inténtelo de nuevo más tarde.',
    tooSoon: 'Se acaba de comprobar. Espere diez segundos.',
  },
} satisfies Texts
