import type { Texts } from './en.ts'

export const texts = {
  navigation: 'アカウント',
  administration: '管理',
  account: 'アカウント',
  logOut: 'ログアウト',
  about: 'このサーバーについて',
  terms: '利用規約',
  privacy: 'プライバシー',
  support: 'ヘルプ',
} satisfies Texts
