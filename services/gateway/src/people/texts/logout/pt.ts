import type { Texts } from './en.ts'

export const texts = {
  title: 'Sair?',
  heading: (brand) => `Sair de ${brand}?`,
  loggedInAs: (user) => `Você entrou como ${user}.`,
  asked: (app) => `${app} pede que você saia.`,
  explanation:
    'Ao sair, sua sessão neste navegador é encerrada. Os aplicativos em que você entrou são avisados.',
  destination: (destination) => `Depois você vai para ${destination}.`,
  submit: 'Sair',
  stay: 'Continuar conectado',
  noDecision: 'Falta a decisão.',
  over: 'Esta página já foi respondida ou é antiga demais. Abra sua conta para sair.',
  loggedOut: {
    heading: 'Você saiu',
    lead: 'Você já pode fechar esta página.',
    continueTo: (destination) => `Continuar para ${destination}`,
    again: 'Entrar novamente',
  },
} satisfies Texts
