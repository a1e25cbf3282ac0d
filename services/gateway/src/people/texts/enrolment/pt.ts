import type { Texts } from './en.ts'

export const texts = {
  choose: {
    heading: 'Adicionar um segundo fator',
    lead: 'Aqui, só a sua senha não basta. Escolha o que você vai usar além dela; depois você pode adicionar outros.',
    passkey: 'Chave de acesso',
    passkeyLead: 'Sua impressão digital, seu rosto ou um PIN neste dispositivo, ou uma chave de segurança.',
    addPasskey: 'Adicionar uma chave de acesso',
    app: 'Aplicativo autenticador',
    appLead: 'Um aplicativo no seu celular que mostra um novo código a cada 30 segundos.',
    addApp: 'Configurar um aplicativo',
    nothing:
      'Este servidor não oferece nenhum segundo fator que você possa adicionar. Fale com um administrador.',
  },
  addPasskey: {
    heading: 'Adicionar uma chave de acesso',
    lead: 'Com uma chave de acesso, você entra com sua impressão digital, seu rosto, um PIN ou uma chave de segurança, mesmo sem a senha.',
    name: 'Nome',
    nameHint: 'Para você reconhecê-la depois.',
    submit: 'Adicionar a chave de acesso',
    cancelled: 'Nenhuma chave de acesso foi adicionada: a operação foi cancelada ou demorou demais.',
    invalid: 'Não foi possível adicionar a chave de acesso. Tente novamente.',
    taken: 'Este dispositivo ou esta chave já tem uma chave de acesso para esta conta.',
    tooMany: 'Você já tem o máximo de chaves de acesso. Remova uma primeiro.',
    badName: 'O nome deve ter de 1 a 100 caracteres visíveis.',
    unavailable: 'Este servidor não oferece chaves de acesso.',
  },
  addApp: {
    heading: 'Configurar um aplicativo autenticador',
    scan: 'Leia este código QR com o aplicativo.',
    picture: 'Código QR para o aplicativo. Ele contém a mesma chave que aparece abaixo.',
    type: 'Ou digite esta chave no aplicativo:',
    open: 'Ou abrir no aplicativo deste dispositivo',
    code: 'Código que o aplicativo mostra',
    submit: 'Concluir',
    wrong: 'Este código está incorreto. Confira a hora do seu celular e tente o próximo código.',
    unavailable: 'Este servidor não oferece aplicativos autenticadores.',
  },
  codes: {
    heading: 'Seus códigos de recuperação',
    lead: 'Se você perder o seu segundo fator, entre com a sua senha e um destes códigos. Cada um funciona uma única vez.',
    keep: 'Imprima ou anote os códigos e guarde-os em um lugar seguro. Eles não serão mostrados novamente.',
    replaced: 'Seus códigos anteriores não funcionam mais.',
    stored: 'Já os guardei',
  },
} satisfies Texts
