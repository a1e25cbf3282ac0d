import { byMailPt } from './by-mail/pt.ts'
import type { Texts } from './en.ts'
import { factorsPt } from './factors/pt.ts'
import { minutesIn, waitIn } from './factors/time.ts'
import { loginsPt } from './logins/pt.ts'
import { ownAccountPt } from './own-account/pt.ts'

const startAgain = 'Volte à página de login e comece de novo.'
const appIsWrong =
  'Volte ao aplicativo e tente novamente. Se acontecer de novo, avise os responsáveis pelo aplicativo.'
const answeredOrOld = 'Esta página já foi respondida ou é antiga demais.'

/** The pages for people in Portuguese as it is written in Brazil. */
export const pt: Texts = {
  layout: {
    navigation: 'Conta',
    administration: 'Administração',
    account: 'Conta',
    logOut: 'Sair',
    about: 'Sobre este servidor',
    terms: 'Termos de uso',
    privacy: 'Privacidade',
    support: 'Ajuda',
  },
  passwords: { show: 'Mostrar', hide: 'Ocultar' },
  login: {
    heading: 'Entrar',
    toContinueTo: (app) => `para continuar em ${app}`,
    again: (user) => `Você entrou como ${user}. Para continuar, entre novamente.`,
    loggedIn: (user, link) => `Você entrou como ${user}. ${link} ou entre com outra conta.`,
    continue: 'Continue',
    toAccount: 'Acesse sua conta',
    username: 'Nome de usuário ou endereço de e-mail',
    password: 'Senha',
    submit: 'Entrar',
    providers: 'Ou entre com',
    missing: 'Digite seu nome de usuário e sua senha.',
    wrong: 'O nome de usuário ou a senha está incorreto. Confira os dois e tente novamente.',
    tooMany: (seconds) =>
      `Tentativas de login demais sem sucesso. Tente novamente ${minutesIn('pt', seconds)}.`,
  },
  consent: {
    title: (app) => `Permitir ${app}?`,
    heading: (app) => `${app} quer acesso à sua conta`,
    document: (host) =>
      `Este aplicativo não está registrado aqui. Ele é descrito por ${host}, que também escolheu o nome.`,
    selfRegistered: 'Ninguém verificou este aplicativo.',
    anyProgram:
      'Este aplicativo roda no seu próprio dispositivo, e qualquer outro programa nele pode se passar por este. Permita somente se você acabou de abrir o aplicativo.',
    lead: (user, app) => `Você entrou como ${user}. Se você permitir, ${app} poderá:`,
    destination: (destination) =>
      `Depois você volta para ${destination}. Permita somente se você veio de lá.`,
    allow: 'Permitir',
    deny: 'Negar',
    withdraw: (link) => `Você pode retirar este acesso a qualquer momento em ${link}.`,
    yourAccount: 'sua conta',
    aboutApp: (app) => `Sobre ${app}`,
    policy: 'Política de privacidade',
    terms: 'Termos de uso',
    noDecision: 'Falta a decisão: permitir ou negar.',
    over: `${answeredOrOld} Se o aplicativo ainda precisar de acesso, volte a ele e comece de novo.`,
    sessionOver:
      'Sua sessão terminou enquanto esta página estava aberta, por isso o aplicativo não obteve acesso.',
    appOfScheme: (scheme) => `o aplicativo ${scheme}`,
  },
  scopes: {
    known: {
      read: 'Ler seus dados',
      write: 'Alterar seus dados',
      profile: 'Ver seu nome e seu perfil',
      email: 'Ver seu endereço de e-mail',
      openid: 'Reconhecer você quando entrar',
      offline_access: 'Manter o acesso na sua ausência',
    },
    other: (scope) => `Usar “${scope}”`,
    ofServer: (server, words) => `${server}: ${words}`,
  },
  account: {
    heading: 'Sua conta',
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
      'Um aplicativo cujo acesso você retira para de funcionar na hora, até que você o use novamente para entrar.',
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
  },
  password: {
    change: 'Alterar sua senha',
    current: 'Senha atual',
    new: 'Nova senha',
    rule: (least) => `Pelo menos ${least} caracteres.`,
    again: 'Repita a nova senha',
    keepAccess: 'Manter as outras sessões e o acesso dos aplicativos',
    keepAccessHint:
      'Deixe desmarcado se outra pessoa puder conhecer sua senha atual: suas outras sessões serão encerradas e todos os aplicativos perderão o acesso.',
    submit: 'Alterar a senha',
    yours: 'Sua senha',
    notNeeded: (providers) =>
      `Você não precisa de senha aqui: você entra com ${providers}. Se quiser uma, peça à administração.`,
    differ: 'As duas novas senhas são diferentes. Nada foi alterado.',
    wrong: 'A senha atual está incorreta. Nada foi alterado.',
    unacceptable: () => 'Esta nova senha não é aceita. Escolha outra.',
  },
  browser: {
    programOn: (device) => `Um programa em ${device}`,
    unknown: 'Um programa desconhecido',
    on: (browser, device) => `${browser} em ${device}`,
  },
  details: {
    heading: 'Seus dados',
    lead: 'Os aplicativos que você permite ver seu perfil recebem estes dados. O que está vazio não é mostrado a ninguém.',
    addressByAdministrators: 'Só a administração pode alterar seu endereço de e-mail.',
    save: 'Salvar',
    back: 'Voltar à sua conta',
    yes: 'sim',
    no: 'não',
    choices: { yes: 'Sim', no: 'Não', none: 'Não informado', leave: (now) => `Deixar como está: ${now}` },
    faults: {
      text: (label, most) => `“${label}” deve ser um texto visível de 1 a ${most} caracteres.`,
      picture: (label) => `“${label}” deve ser um endereço https sem senha.`,
      language: (label) => `“${label}” deve ser um código de idioma, como en ou de-CH.`,
      zone: (label) => `“${label}” deve ser um fuso horário, como Europe/Berlin.`,
    },
  },
  factors: factorsPt,
  logins: loginsPt,
  logout: {
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
    over: `${answeredOrOld} Abra sua conta para sair.`,
  },
  start: {
    lead: 'Entre nos aplicativos com uma só conta.',
    account: 'Sua conta',
    accountText: 'Seu perfil, senha, segundos fatores e aplicativos.',
    console: 'Console',
    consoleText: 'Para administradores: aplicativos, usuários e atividade.',
    documentation: 'Documentação',
    documentationText: 'Como criar aplicativos com este servidor, operá-lo e administrá-lo. Em inglês.',
    api: 'Referência da API',
    apiText: 'Para desenvolvedores: todos os endpoints, para ler e testar.',
    metadata: 'Metadados do servidor',
    metadataText: 'Para bibliotecas de cliente: os endereços de todos os endpoints.',
  },
  loggedOut: {
    heading: 'Você saiu',
    lead: 'Você já pode fechar esta página.',
    continueTo: (destination) => `Continuar para ${destination}`,
    again: 'Entrar novamente',
  },
  social: {
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
  },
  error: {
    toAccount: 'Ir para sua conta',
    toDocumentation: 'Documentação: o significado de cada erro (em inglês)',
    details: 'Detalhes para desenvolvedores',
    code: 'Erro',
    description: 'Descrição',
    trace: 'ID do rastreamento',
    otherSite: (ours) =>
      `Este formulário não foi enviado de uma página deste servidor. Abra ${ours} e tente novamente lá.`,
    wait: (seconds) => `Você pode tentar novamente ${waitIn('pt', seconds)}.`,
    other: { heading: 'Isto não funciona', advice: appIsWrong },
    byCode: {
      invalid_request: { heading: 'Esta solicitação não funciona', advice: appIsWrong },
      invalid_client: { heading: 'Este aplicativo não é conhecido aqui', advice: appIsWrong },
      access_denied: {
        heading: 'Você não tem permissão para isto',
        advice: 'Se acha que deveria ter, fale com a administração.',
      },
      login_required: {
        heading: 'Sua sessão terminou',
        advice: 'Volte para onde você estava e comece de novo: será pedido que você entre.',
      },
      not_found: {
        heading: 'Página não encontrada',
        advice: 'Confira o endereço. Se um link trouxe você até aqui, ele está desatualizado.',
      },
      method_not_allowed: {
        heading: 'Esta página não existe',
        advice: 'Volte para onde você estava e comece de novo.',
      },
      rate_limit_exceeded: {
        heading: 'Solicitações demais',
        advice: 'Espere um momento e recarregue a página.',
      },
      temporarily_unavailable: {
        heading: 'Um momento, por favor',
        advice: 'Este servidor está ocupado ou iniciando. Recarregue a página em alguns segundos.',
      },
      server_error: {
        heading: 'Algo deu errado',
        advice: 'A culpa não é sua. Tente novamente; se acontecer de novo, avise a administração.',
      },
    },
  },
  byMail: byMailPt,
  ownAccount: ownAccountPt,
}
