import type { Texts } from './en.ts'

export const texts = {
  logIn: '使用通行密钥登录',
  use: '使用通行密钥',
  refused: '此通行密钥未被接受。请重试，或使用其他方式登录。',
  cancelled: '未使用通行密钥：操作已取消，或用时过长。',
  unsupported: '此浏览器无法使用通行密钥。',
  noScript: '通行密钥需要 JavaScript，而此浏览器已将其关闭。',
} satisfies Texts
