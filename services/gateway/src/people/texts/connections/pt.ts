import type { Texts } from './en.ts'

export const texts = {
  byAddress: 'Entrar pela sua organização',
  otherWay: {
    organization: (name) => `Para continuar em ${name}, entre por essa organização.`,
    factors: (name) => `Para continuar em ${name}, entre com dois fatores.`,
    account: 'Este aplicativo exige que você entre com a sua própria conta.',
    page: 'Para ver essa página, entre de outra forma.',
  },
  address: {
    lead: 'Digite o seu e-mail de trabalho. Ele nos diz onde você entra.',
    label: 'Endereço de e-mail',
    submit: 'Continuar',
    missing: 'Digite o seu endereço de e-mail.',
    unknown: 'Este endereço não leva ao login de nenhuma organização. Confira-o ou entre de outra forma.',
    otherWays: 'Outras formas de entrar',
  },
  question: {
    title: (name) => `Entrar por ${name}?`,
    lead: (user) =>
      `Você entrou como ${user}. Um link de outro site trouxe você aqui. Se você entrar agora como outra pessoa, esse login termina.`,
    submit: 'Entrar',
    stay: 'Continuar como está',
  },
  problems: {
    notInvited: (provider) => ({
      heading: 'Você não tem conta aqui',
      description: `Você entrou por ${provider}, mas nenhuma conta daqui pertence a esse login.`,
      advice: 'Peça um convite a um administrador. Se você tem uma conta, entre de outra forma.',
    }),
    hasAccount: (provider) => ({
      heading: 'Você já tem uma conta',
      description: `Existe uma conta com o seu endereço de e-mail, mas ela ainda não está vinculada a ${provider}.`,
      advice: `Entre de outra forma desta vez. Depois você pode vincular ${provider} à sua conta.`,
    }),
    noMember: (provider) => ({
      heading: 'Você não é membro desta organização',
      description: `O login por ${provider} é para membros da organização, e a sua conta não é um deles.`,
      advice: 'Peça um convite a um administrador da organização ou entre de outra forma.',
    }),
    linkedToOther: (provider) => ({
      heading: 'Este login pertence a outra conta',
      description: `A conta em ${provider} já está vinculada a outra conta daqui.`,
      advice: 'Escolha outra conta lá, ou entre aqui com a outra conta e desvincule-a.',
    }),
    session: (provider) => ({
      heading: 'Você precisa entrar de novo',
      description: `A sua sessão aqui terminou enquanto você estava em ${provider}, ou ela não permite isto.`,
      advice: 'Entre e comece de novo.',
    }),
    full: (provider) => ({
      heading: 'A organização está cheia',
      description: `A organização de ${provider} tem tantos membros quantos pode ter.`,
      advice: 'Avise um administrador da organização.',
    }),
  },
  own: {
    heading: 'Contas vinculadas',
    link: 'Ver as contas vinculadas',
    lead: 'Com estas contas de outros lugares você pode entrar aqui.',
    none: 'Nenhuma conta de outro lugar está vinculada à sua.',
    of: (organization) => `Vale apenas em ${organization}`,
    since: (time) => `vinculada desde ${time}`,
    badge: 'Não funciona',
    orphaned: 'O provedor agora é outro, que não conhece esta conta.',
    disabled: 'No momento ninguém pode entrar por este provedor.',
    offers: 'Vincular outra conta',
    done: { connected: 'A conta está vinculada.', removed: 'A conta não está mais vinculada.' },
    connect: {
      title: (name) => `Vincular ${name} à sua conta?`,
      lead: 'Você entra lá agora. A partir daí, pode entrar aqui por esse meio.',
      submit: 'Vincular',
    },
    remove: {
      title: (name) => `Desvincular ${name}?`,
      lead: 'Você não poderá mais entrar por esse meio. As sessões em que o usou terminam, e os aplicativos perdem o acesso que você deu a eles nessas sessões.',
      submit: 'Desvincular',
      last: 'Você não tem outra forma de entrar. Antes, defina uma senha ou uma chave de acesso.',
    },
  },
} satisfies Texts
