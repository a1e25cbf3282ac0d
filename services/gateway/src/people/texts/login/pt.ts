import { minutesIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
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
  forgot: 'Esqueceu a senha?',
  signUp: 'Criar uma conta',
} satisfies Texts
