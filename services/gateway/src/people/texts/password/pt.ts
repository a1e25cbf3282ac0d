import type { Texts } from './en.ts'

export const texts = {
  change: 'Alterar sua senha',
  current: 'Senha atual',
  new: 'Nova senha',
  rule: (least) => `Pelo menos ${least} caracteres.`,
  again: 'Repita a nova senha',
  keepAccess: 'Manter as outras sessões e o acesso dos aplicativos',
  keepAccessHint:
    'Deixe desmarcado se outra pessoa puder conhecer sua senha atual: suas outras sessões serão encerradas e todos os aplicativos perderão o acesso.',
  submit: 'Alterar a senha',
  yours: 'Sua senha',
  notNeeded: (providers) =>
    `Você não precisa de senha aqui: você entra com ${providers}. Se quiser uma, peça à administração.`,
  differ: 'As duas novas senhas são diferentes. Nada foi alterado.',
  wrong: 'A senha atual está incorreta. Nada foi alterado.',
  unacceptable: () => 'Esta nova senha não é aceita. Escolha outra.',
  show: 'Mostrar',
  hide: 'Ocultar',
  faults: {
    too_short: (least) => `A senha deve ter pelo menos ${least} caracteres.`,
    too_long: 'A senha é longa demais.',
    too_common: 'Esta é uma das senhas mais comuns, as primeiras a serem adivinhadas. Escolha outra.',
    like_name: 'A senha não pode ser seu nome de usuário nem seu endereço de e-mail.',
    taken: 'Este nome de usuário já existe. Escolha outro.',
    an_address: 'O nome de usuário não pode ser o endereço de e-mail de outra pessoa.',
    a_link: 'O nome de usuário não pode conter / nem :, nem começar com www.',
    invalid:
      'Este nome de usuário não serve: ele deve ter de 1 a 200 caracteres visíveis, sem espaços, e não pode começar com client_.',
  },
} satisfies Texts
