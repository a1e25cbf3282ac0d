import type { Texts } from './en.ts'

export const texts = {
  address: 'Endereço de e-mail',
  send: 'Enviar o e-mail',
  wrongAddress: 'Digite um endereço de e-mail, por exemplo ana@example.com.',
  checkMail: 'Verifique seu e-mail',
  over: {
    title: 'Este link não funciona mais',
    lead: 'Ele já foi usado ou expirou. Um link também deixa de funcionar quando a senha ou o endereço muda.',
    toAccount: 'Ir para sua conta',
  },
} satisfies Texts
