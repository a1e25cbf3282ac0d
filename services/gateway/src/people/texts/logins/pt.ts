import type { Texts } from './en.ts'

export const texts = {
  link: 'Seus acessos',
  heading: 'Seus acessos',
  lead: 'Todas as tentativas de entrar na sua conta nos últimos 30 dias, as mais recentes primeiro. Se não reconhecer alguma que teve sucesso, altere sua senha.',
  none: 'Não houve nenhuma nos últimos 30 dias.',
  older: 'Acessos mais antigos',
  newest: 'Acessos mais recentes',
  outcomes: {
    succeeded: 'Acesso concluído',
    wrongPassword: 'Senha incorreta',
    disabled: 'Sua conta estava desativada',
    tooManyFailures: 'Recusado após muitas tentativas malsucedidas',
    providerRefused: 'Cancelado ou recusado no provedor',
    providerFailed: 'O provedor não respondeu como esperado',
    wrongFactor: 'Segundo fator incorreto',
    tooManyCodes: 'Recusado após muitos códigos incorretos',
    factorMissing: 'Segundo fator não informado',
    factorNotAsked: 'Recusado: este aplicativo não pode pedir seu segundo fator',
    notFinished: 'Não concluído a tempo',
    passkeyRefused: 'Chave de acesso não aceita',
    failed: 'Falhou',
  },
} satisfies Texts
