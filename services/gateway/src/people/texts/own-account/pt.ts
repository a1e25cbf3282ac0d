import type { Texts } from './en.ts'

export const texts = {
  data: {
    title: 'Baixar seus dados',
    lead: 'Você recebe um arquivo com tudo o que está guardado aqui sobre você: seus dados, os aplicativos com acesso à sua conta, onde e como você está conectado, seus acessos dos últimos 30 dias e os e-mails que foram enviados a você.',
    hint: 'O arquivo está em JSON, um formato para programas que as pessoas também conseguem ler. Ele não contém senhas nem códigos. Guarde-o só para você.',
    submit: 'Baixar o arquivo',
  },
  deletion: {
    title: 'Excluir sua conta',
    lead: 'Isso não pode ser desfeito. Ninguém pode recuperar a conta, nem mesmo a administração.',
    consequences: [
      'Você é desconectado em todos os lugares.',
      'Os aplicativos perdem o acesso na hora. O que eles mesmos guardaram continua com eles.',
      'Seus dados, chaves de acesso e outras formas de entrar, acessos e e-mails são excluídos.',
    ],
    downloadFirst: 'Baixar seus dados antes',
    confirm: (user) => `Para confirmar, digite seu nome de usuário: ${user}`,
    label: 'Seu nome de usuário',
    submit: 'Excluir a conta definitivamente',
    wrong: 'Este não é o seu nome de usuário. Nada foi excluído.',
    lastOwner:
      'Você é a última pessoa com acesso total de administração a este servidor, então sua conta não pode ser excluída. Antes, dê o acesso total a outra pessoa.',
    ownsOrganization: (organization) =>
      `Você é a última pessoa proprietária de ${organization}, que tem outros membros, então sua conta não pode ser excluída. Antes, torne outro membro proprietário.`,
    off: 'Neste servidor, só a administração pode excluir contas.',
  },
  deleted: {
    heading: 'Sua conta foi excluída',
    lead: 'Você foi desconectado em todos os lugares, e os aplicativos perderam o acesso. Você já pode fechar esta página.',
  },
} satisfies Texts
