import type { MailTexts } from './mail-texts.ts'

const onceInAnHour = 'O link funciona uma única vez, durante uma hora.'
const nothingHappens = 'Se você não pediu isso, ignore este e-mail. Nada acontece sem o link.'

/** The mails in Portuguese. */
export const pt: MailTexts = {
  greeting: (username) => (username === undefined ? 'Olá,' : `Olá, ${username},`),
  orOpen: 'Ou abra este endereço no seu navegador:',
  reason: (brand) => `${brand} enviou este e-mail porque este endereço foi usado lá.`,
  terms: 'Termos de uso',
  privacy: 'Privacidade',
  support: 'Ajuda',
  kinds: {
    sign_up: ({ brand }) => ({
      subject: `Conclua seu cadastro em ${brand}`,
      lines: [`Escolha um nome de usuário e uma senha para criar sua conta em ${brand}.`],
      button: 'Criar a conta',
      after: [onceInAnHour, nothingHappens],
    }),
    sign_up_known: ({ brand, username }) => ({
      subject: `Você já tem uma conta em ${brand}`,
      lines: [
        `Alguém, provavelmente você, quis se cadastrar em ${brand} com este endereço. Ele pertence à conta ${username}: entre com esse nome ou com este endereço.`,
        'Se você não lembra mais a senha, pode redefini-la.',
      ],
      button: 'Redefinir a senha',
      after: ['Se não foi você, ignore este e-mail. Nada mudou.'],
    }),
    invitation: ({ brand }) => ({
      subject: `Convite para ${brand}`,
      lines: [`Um administrador convidou você para criar uma conta em ${brand}.`],
      button: 'Criar a conta',
      after: [
        'O link funciona uma única vez, durante sete dias.',
        'Se você não quer uma conta, ignore este e-mail.',
      ],
    }),
    password_reset: ({ brand, username }) => ({
      subject: `Redefina sua senha de ${brand}`,
      lines: [`Alguém, provavelmente você, pediu para redefinir a senha de ${username} em ${brand}.`],
      button: 'Escolher uma nova senha',
      after: [onceInAnHour, 'Se não foi você, ignore este e-mail. Sua senha continua a mesma.'],
    }),
    password_changed: ({ brand, username, time }) => ({
      subject: `Sua senha de ${brand} foi alterada`,
      lines: [`A senha de ${username} em ${brand} foi alterada: ${time}.`],
      button: 'Não fui eu: redefinir a senha',
      after: ['Se foi você, não precisa fazer nada.'],
    }),
    address: ({ brand, username }) => ({
      subject: `Confirme seu endereço de e-mail para ${brand}`,
      lines: [`Confirme que este endereço pertence a ${username} em ${brand}.`],
      button: 'Confirmar o endereço',
      after: [onceInAnHour, nothingHappens],
    }),
    address_changed: ({ brand, username, address, time }) => ({
      subject: `Seu endereço de e-mail em ${brand} foi alterado`,
      lines: [
        `O endereço de e-mail de ${username} em ${brand} foi alterado: ${time}. Agora é ${address}, e nenhum e-mail será mais enviado a este endereço.`,
      ],
      after: ['Se não foi você, avise imediatamente os responsáveis por este servidor.'],
    }),
    new_login: ({ brand, username, browser, ipAddress, time }) => ({
      subject: `Novo acesso à sua conta em ${brand}`,
      lines: [`${username} entrou com um navegador que ainda não tinha sido usado.`],
      facts: [
        ['Navegador', browser],
        ['Endereço IP', ipAddress],
        ['Horário', time],
      ],
      button: 'Ver sua conta',
      after: [
        'Se foi você, não precisa fazer nada. Se não foi, altere sua senha e encerre a sessão na página da sua conta.',
      ],
    }),
    factor_added: ({ brand, username, time }) => ({
      subject: `Uma forma de entrar foi adicionada à sua conta em ${brand}`,
      lines: [
        `Uma chave de acesso ou um aplicativo autenticador foi adicionado à conta ${username} em ${brand}: ${time}.`,
      ],
      button: 'Ver sua conta',
      after: [
        'Se foi você, não precisa fazer nada. Se não foi, altere imediatamente sua senha e confira as formas de entrar na página da sua conta.',
      ],
    }),
    factor_removed: ({ brand, username, time }) => ({
      subject: `Uma forma de entrar foi removida da sua conta em ${brand}`,
      lines: [
        `Uma chave de acesso ou um aplicativo autenticador foi removido da conta ${username} em ${brand}: ${time}.`,
      ],
      button: 'Ver sua conta',
      after: [
        'Se foi você, não precisa fazer nada. Se não foi, altere imediatamente sua senha e confira as formas de entrar na página da sua conta.',
      ],
    }),
    account_connected: ({ brand, username, connection, time }) => ({
      subject: `Uma forma de entrar foi adicionada à sua conta em ${brand}`,
      lines: [`Uma conta de ${connection} foi conectada à conta ${username} em ${brand}: ${time}.`],
      button: 'Ver as contas conectadas',
      after: [
        'Se foi você, não precisa fazer nada. Se não foi, desconecte-a imediatamente e altere sua senha.',
      ],
    }),
    recovery_code_used: ({ brand, username, time }) => ({
      subject: `Um código de recuperação da sua conta em ${brand} foi usado`,
      lines: [
        `Alguém entrou na conta ${username} em ${brand} com um código de recuperação: ${time}. Esse código não funciona mais.`,
      ],
      button: 'Ver sua conta',
      after: [
        'Se foi você, não precisa fazer nada. Se não foi, altere imediatamente sua senha e confira as formas de entrar na página da sua conta.',
      ],
    }),
    account_deleted: ({ brand, username, time }) => ({
      subject: `Sua conta em ${brand} foi excluída`,
      lines: [
        `A conta ${username} em ${brand} foi excluída a seu pedido: ${time}.`,
        'Todas as suas sessões foram encerradas, os aplicativos perderam o acesso, e o que estava guardado sobre você foi excluído.',
      ],
      after: ['Se não foi você, avise imediatamente os responsáveis por este servidor.'],
    }),
    organization_invitation: ({ brand, organization, inviter }) => ({
      subject: `Convite para uma organização em ${brand}`,
      lines: [`Você recebeu um convite para entrar em uma organização em ${brand}.`],
      facts: [
        ['Organização', organization],
        ['Convite de', inviter],
      ],
      button: 'Ver o convite',
      after: [
        'O link funciona uma única vez, durante sete dias.',
        'Se você não quer entrar, ignore este e-mail.',
      ],
    }),
    domain_missing: ({ brand, organization, domain, time }) => ({
      subject: `O registro DNS do seu domínio está faltando em ${brand}`,
      lines: [
        `O registro DNS que comprova um domínio da sua organização em ${brand} está faltando.`,
        `Se o registro não voltar até esta data, a organização perderá o domínio: ${time}.`,
      ],
      facts: [
        ['Organização', organization],
        ['Domínio', domain],
      ],
      button: 'Ver suas organizações',
      after: [],
    }),
    domain_lost: ({ brand, organization, domain }) => ({
      subject: `Sua organização perdeu um domínio em ${brand}`,
      lines: [
        `O registro DNS que comprova um domínio da sua organização em ${brand} está faltando há sete dias; por isso, a organização perdeu o domínio.`,
      ],
      facts: [
        ['Organização', organization],
        ['Domínio', domain],
      ],
      button: 'Ver suas organizações',
      after: [
        'Para recuperá-lo, adicione o registro de novo e verifique o domínio na página da organização.',
      ],
    }),
  },
}
