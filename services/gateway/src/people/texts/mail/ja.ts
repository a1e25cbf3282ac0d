import type { Texts } from './en.ts'

export const texts = {
  address: 'メールアドレス',
  send: 'メールを送信',
  wrongAddress: 'メールアドレスを入力してください(例:hanako@example.com)。',
  checkMail: 'メールをご確認ください',
  over: {
    title: 'このリンクはもう使えません',
    lead: 'すでに使われたか、有効期限が切れています。パスワードやアドレスが変わったときにも、リンクは無効になります。',
    toAccount: 'アカウントへ',
  },
} satisfies Texts
