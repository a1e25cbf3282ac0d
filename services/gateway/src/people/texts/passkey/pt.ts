import type { Texts } from './en.ts'

export const texts = {
  logIn: 'Entrar com uma chave de acesso',
  use: 'Usar uma chave de acesso',
  refused: 'Esta chave de acesso não foi aceita. Tente novamente ou entre de outra forma.',
  cancelled: 'A chave de acesso não foi usada: a operação foi cancelada ou demorou demais.',
  unsupported: 'Este navegador não consegue usar chaves de acesso.',
  noScript: 'Chaves de acesso precisam de JavaScript, que está desativado neste navegador.',
} satisfies Texts
