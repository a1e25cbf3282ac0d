import type { Texts } from './en.ts'

export const texts = {
  title: (app) => `Permitir ${app}?`,
  heading: (app) => `${app} quer acesso à sua conta`,
  document: (host) =>
    `Este aplicativo não está registrado aqui. Ele é descrito por ${host}, que também escolheu o nome.`,
  selfRegistered: 'Ninguém verificou este aplicativo.',
  anyProgram:
    'Este aplicativo roda no seu próprio dispositivo, e qualquer outro programa nele pode se passar por este. Permita somente se você acabou de abrir o aplicativo.',
  lead: (user, app) => `Você entrou como ${user}. Se você permitir, ${app} poderá:`,
  destination: (destination) => `Depois você volta para ${destination}. Permita somente se você veio de lá.`,
  allow: 'Permitir',
  deny: 'Negar',
  withdraw: (link) => `Você pode retirar este acesso a qualquer momento em ${link}.`,
  yourAccount: 'sua conta',
  aboutApp: (app) => `Sobre ${app}`,
  policy: 'Política de privacidade',
  terms: 'Termos de uso',
  noDecision: 'Falta a decisão: permitir ou negar.',
  over: 'Esta página já foi respondida ou é antiga demais. Se o aplicativo ainda precisar de acesso, volte a ele e comece de novo.',
  sessionOver:
    'Sua sessão terminou enquanto esta página estava aberta, por isso o aplicativo não obteve acesso.',
  appOfScheme: (scheme) => `o aplicativo ${scheme}`,
  scopes: {
    known: {
      read: 'Ler seus dados',
      write: 'Alterar seus dados',
      profile: 'Ver seu nome e seu perfil',
      email: 'Ver seu endereço de e-mail',
      openid: 'Reconhecer você quando entrar',
      offline_access: 'Manter o acesso na sua ausência',
    },
    ofOrganizations: {
      organization: 'Ver o nome da organização',
      groups: 'Ver os grupos em que você está',
      roles: 'Ver as funções que você tem',
    },
    other: (scope) => `Usar “${scope}”`,
    ofServer: (server, words) => `${server}: ${words}`,
  },
  laterScopes: {
    email: 'Ver seu endereço de e-mail, assim que você tiver um aqui',
    profile: 'Ver seu nome de usuário, e seu perfil assim que você o preencher',
  },
} satisfies Texts
