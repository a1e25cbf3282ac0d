import type { Texts } from './en.ts'

export const texts = {
  heading: (connection) => `Teste de ${connection}`,
  works: 'O login funciona. Ninguém entrou por ele, e nada foi salvo.',
  fails: 'O login não funciona. Nada foi salvo.',
  would: 'O que um login faria',
  mapped: 'O que o mapeamento dá',
  existing: (username) => `${username} entraria.`,
  created: 'Um novo usuário seria criado.',
  groups: 'Grupos',
  roles: 'Funções',
  roleOf: (role, resource) => `${role} (${resource})`,
  nothing: 'O mapeamento não dá nada.',
  remarks: 'Regras sem efeito',
  claims: 'O que o provedor disse',
  noClaims: 'O provedor não disse nada.',
  claim: 'Claim',
  value: 'Valor',
  again: 'Testar de novo',
  back: 'Voltar à conexão',
  problems: {
    unknownLogin: 'O teste é antigo demais ou foi iniciado em outro navegador. Comece de novo.',
    denied: 'O login foi cancelado no provedor, ou ele o negou.',
    unreachable: 'O provedor não responde a tempo. Verifique o emissor e se este servidor pode alcançá-lo.',
    badAnswer:
      'A resposta do provedor é inválida. Verifique o id do cliente, o segredo ou a chave, o emissor e os valores acr.',
    disabled: 'O usuário a quem esta conta pertence está desativado.',
    noConnection: 'A conexão está desativada, ou a organização dela está. Ative-a antes que alguém entre.',
    notInvited: 'Ninguém vinculou esta conta, e a conexão não cria um usuário para esta pessoa.',
    hasAccount:
      'Um usuário já tem este endereço. Ele entra uma vez de outra forma e vincula a conta na página da conta dele.',
    noMember: 'O usuário que vinculou esta conta não é membro da organização.',
    linkedToOther: 'A conta está vinculada a outro usuário.',
    session: 'Sua sessão terminou nesse meio-tempo, ou você não pode testar esta conexão.',
    full: 'A organização tem todos os membros que pode ter.',
    other: 'O login foi recusado.',
  },
} satisfies Texts
