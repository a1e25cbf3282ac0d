import type { Texts } from './en.ts'

const startAgain = 'Volte à página de login e comece de novo.'

export const texts = {
  unreachable: (provider) => ({
    heading: `${provider} não responde`,
    description: `${provider} não responde no momento.`,
    advice: 'O login não foi feito. Tente novamente em um minuto ou entre de outra forma.',
  }),
  notOffered: (provider) => ({
    heading: `${provider} não está disponível aqui`,
    description: `O login com ${provider} não está disponível neste servidor.`,
    advice: 'Entre de outra forma.',
  }),
  notConfigured: (provider) => ({
    heading: `${provider} não está configurado aqui`,
    description: `O login com ${provider} não está configurado neste servidor.`,
    advice: 'Entre de outra forma. A administração pode configurá-lo.',
  }),
  unknownLogin: {
    heading: 'Este login terminou',
    description: 'O login já foi concluído, demorou demais ou foi iniciado em outro navegador.',
    advice: startAgain,
  },
  denied: (provider) => ({
    heading: 'O login não foi feito',
    description: `${provider} informa que o login foi cancelado ou não é permitido.`,
    advice: 'Se você não queria cancelar, volte à página de login e comece de novo.',
  }),
  disabled: {
    heading: 'Você não pode entrar',
    description: 'Sua conta está desativada aqui.',
    advice: 'Peça à administração que ative sua conta.',
  },
  untrusted: (provider) => ({
    heading: `Há algo errado com a resposta de ${provider}`,
    description: `A resposta de ${provider} não é confiável, por isso o login não foi feito.`,
    advice: `${startAgain} Se acontecer de novo, avise a administração.`,
  }),
  unknownProvider: 'Não há serviço de login com este nome.',
  toLogin: 'Ir para a página de login',
} satisfies Texts
