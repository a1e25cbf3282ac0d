import type { Texts } from './en.ts'

export const texts = {
  address: 'Endereço de e-mail',
  send: 'Enviar o e-mail',
  wrongAddress: 'Digite um endereço de e-mail, por exemplo ana@example.com.',
  checkMail: 'Verifique seu e-mail',
  over: {
    title: 'Este link não funciona mais',
    lead: 'Ele já foi usado, ou o tempo dele acabou. Um link também termina quando a senha ou o endereço muda.',
    toAccount: 'Ir para sua conta',
  },
  passwordRule: (least) => `Pelo menos ${least} caracteres.`,
} satisfies Texts
