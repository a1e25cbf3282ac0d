import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

const appIsWrong =
  'Volte ao aplicativo e tente novamente. Se acontecer de novo, avise os responsáveis pelo aplicativo.'

export const texts = {
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
} satisfies Texts
