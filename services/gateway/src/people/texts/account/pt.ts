import type { Texts } from './en.ts'

export const texts = {
  heading: 'Sua conta',
  back: 'Voltar à sua conta',
  loggedInAs: (user) => `Você entrou como ${user}.`,
  administrator: (user) => `Você entrou como ${user}, com acesso de administração.`,
  details: 'Seus dados',
  noDetails: 'Nada se sabe sobre você além do seu nome de usuário.',
  changeDetails: 'Alterar seus dados',
  apps: 'Aplicativos com acesso à sua conta',
  since: (time) => `desde ${time}`,
  withdraw: 'Retirar',
  withdrawFrom: (app) => `Retirar o acesso de ${app}`,
  withdrawHint:
    'Quando você retira o acesso de um aplicativo, ele para de funcionar na hora. Ele só recupera o acesso se você o usar novamente para entrar.',
  noApps: 'Nenhum. Os aplicativos que você usa com sua conta aparecem aqui.',
  appsMissing: 'Alguns aplicativos podem estar faltando no momento. Veja novamente em um minuto.',
  deletedApp: (clientId) => `${clientId} (excluído)`,
  sessions: 'Onde você está conectado',
  thisBrowser: 'este navegador',
  from: (address) => `de ${address}`,
  logOut: 'Sair',
  logOutHere: 'Sair aqui',
  logOutOf: (browser, since) => `Sair de ${browser}, conectado desde ${since}`,
  providers: 'Como você entra',
  as: (name) => `como ${name}`,
  done: {
    session: 'Essa sessão foi encerrada.',
    app: 'O acesso foi retirado: os tokens do aplicativo não funcionam mais.',
    details: 'Seus dados foram salvos.',
    password:
      'Sua senha foi alterada. Suas outras sessões foram encerradas e os aplicativos perderam o acesso.',
    'password-only': 'Sua senha foi alterada. Suas outras sessões e seus aplicativos mantêm o acesso.',
  },
  whole: 'O que está guardado sobre você',
  lastUsed: (time) => `último uso: ${time}`,
  place: (city, country) => `${city}, ${country}`,
  browsers: {
    programOn: (device) => `Um programa em ${device}`,
    unknown: 'Um programa desconhecido',
    on: (browser, device) => `${browser} em ${device}`,
  },
} satisfies Texts
