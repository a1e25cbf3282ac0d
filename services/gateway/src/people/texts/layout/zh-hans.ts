import type { Texts } from './en.ts'

export const texts = {
  navigation: '账户',
  administration: '管理',
  account: '账户',
  logOut: '退出登录',
  about: '关于此服务器',
  terms: '服务条款',
  privacy: '隐私',
  support: '帮助',
} satisfies Texts
