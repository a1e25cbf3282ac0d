import type { Texts } from './en.ts'

export const texts = {
  own: {
    title: 'Seu endereço de e-mail',
    confirmed: (address) => `Seu endereço é ${address}. Ele está confirmado.`,
    unconfirmed: (address) => `Seu endereço é ${address}. Ele não está confirmado.`,
    none: 'Você não tem endereço de e-mail aqui.',
    confirm: 'Enviar um e-mail para confirmá-lo',
    change: 'Alterar seu endereço',
    add: 'Adicionar seu endereço',
    new: 'Novo endereço de e-mail',
    hint: 'Enviamos um e-mail com um link para o novo endereço. O endereço muda quando você abre o link.',
    link: 'Alterar seu endereço de e-mail',
    unchanged: 'Este já é seu endereço, e ele está confirmado.',
    tooMany: 'Vários e-mails já foram enviados para este endereço. Espere uma hora e tente de novo.',
    off: 'Este servidor não envia e-mails. Peça a um administrador que altere seu endereço.',
    sent: 'Enviamos um e-mail. Seu endereço muda quando você abrir o link que está nele.',
    done: 'Seu endereço de e-mail está confirmado.',
  },
  confirm: {
    title: 'Confirmar seu endereço',
    lead: (address, user) => `O endereço ${address} passa a ser o da conta ${user}.`,
    submit: 'Confirmar',
    hint: 'Se esta não é sua conta, feche esta página. Nada muda.',
    done: 'Seu endereço está confirmado',
    close: 'Você já pode fechar esta página.',
  },
} satisfies Texts
