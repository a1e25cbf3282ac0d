import type { Texts } from './en.ts'

export const texts = {
  title: 'Cadastro',
  heading: 'Criar uma conta',
  lead: 'Enviamos um e-mail com um link. Abra-o para escolher seu nome de usuário e sua senha.',
  haveAccount: 'Já tenho uma conta: entrar',
  sent: (address) => `Enviamos um e-mail para ${address}. Abra o link que está nele para criar sua conta.`,
  sentHint:
    'O link funciona durante uma hora. Se nenhum e-mail chegar, veja a pasta de spam e confira o endereço.',
  anotherAddress: 'Digitar outro endereço',
  closed: 'O cadastro está fechado neste servidor. Peça uma conta a um administrador.',
  confirmed: (address) => `Seu endereço ${address} está confirmado. Escolha como você entra.`,
  username: 'Nome de usuário',
  usernameHint: 'Seu endereço, ou outro nome sem espaços. Você pode entrar com os dois.',
  password: 'Senha',
  submit: 'Criar a conta',
  again: 'Fazer o cadastro de novo',
  logIn: 'Entrar',
} satisfies Texts
