import type { Texts } from './en.ts'

export const texts = {
  title: 'Redefinir a senha',
  lead: 'Enviamos um e-mail com um link para o endereço de e-mail da sua conta.',
  username: 'Nome de usuário ou endereço de e-mail',
  missing: 'Digite seu nome de usuário ou seu endereço de e-mail.',
  sent: 'Se houver uma conta com este nome ou endereço, enviamos um e-mail para o endereço dela. Abra o link que está nele para escolher uma nova senha.',
  sentHint:
    'O link funciona durante uma hora. Se nenhum e-mail chegar, veja a pasta de spam. Uma conta cujo endereço nunca foi confirmado não recebe e-mail: fale com um administrador.',
  back: 'Voltar ao login',
  off: 'Este servidor não envia e-mails. Peça uma nova senha a um administrador.',
  choose: 'Escolher uma nova senha',
  chooseLead: (user) =>
    `Ela é da conta ${user}. Ao salvá-la, todas as suas sessões são encerradas, e os aplicativos perdem o acesso.`,
  newPassword: 'Nova senha',
  submit: 'Salvar a senha',
  another: 'Pedir um novo link',
  done: 'Sua senha foi alterada. Entre com a nova.',
} satisfies Texts
