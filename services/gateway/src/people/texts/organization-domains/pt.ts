import type { Texts } from './en.ts'

export const texts = {
  heading: 'Domínios',
  lead: 'A organização comprova que um domínio é seu com um registro TXT no DNS. Até lá, o domínio não significa nada aqui.',
  add: 'Adicionar um domínio',
  domain: 'Domínio',
  submit: 'Adicionar o domínio',
  none: 'A organização ainda não tem domínios.',
  states: {
    unproven: 'não comprovado',
    proven: 'comprovado',
    missing: 'registro faltando',
    lost: 'perdido',
  },
  record:
    'Crie este registro TXT onde você administra o DNS do domínio e deixe-o lá: ele é procurado todos os dias.',
  recordName: 'Nome',
  recordValue: 'Valor',
  provenAt: (time) => `comprovado ${time}`,
  checkedAt: (time) => `última verificação ${time}`,
  missingSince: (time) =>
    `O registro está faltando desde ${time}. Após sete dias, a organização perde o domínio.`,
  lost: 'O registro faltou por sete dias. Crie-o de novo e verifique para recuperar o domínio.',
  check: 'Verificar agora',
  remove: 'Remover',
  removal: {
    title: (domain) => `Remover ${domain}`,
    lead: 'A organização deixa de ter o domínio, e outra organização pode comprová-lo.',
    submit: 'Remover o domínio',
  },
  gone: 'A organização não tem mais este domínio.',
  problems: {
    invalid: 'Informe um domínio, por exemplo example.com.',
    publicSuffix:
      'Qualquer pessoa pode registrar um domínio abaixo deste, por isso ninguém pode comprová-lo. Informe um domínio seu.',
    tooMany: 'A organização tem todos os domínios que pode ter. Remova um antes.',
    missing: 'O registro não foi encontrado. Um novo pode levar uma hora para ser visto.',
    taken: 'O registro está lá, mas outra organização tem este domínio. Ela precisa removê-lo antes.',
    noAnswer: 'O DNS não respondeu. Tente de novo mais tarde.',
    tooSoon: 'Isto acabou de ser verificado. Aguarde dez segundos.',
  },
} satisfies Texts
