import type { Texts } from './en.ts'

export const texts = {
  title: '登録',
  heading: 'アカウントを作成',
  lead: 'リンクを記載したメールをお送りします。リンクを開いて、ユーザー名とパスワードを決めてください。',
  haveAccount: 'アカウントがある場合はログイン',
  sent: (address) =>
    `${address} にメールを送信しました。メールのリンクを開いて、アカウントを作成してください。`,
  sentHint:
    'リンクは1時間有効です。メールが届かない場合は、迷惑メールフォルダーとアドレスを確認してください。',
  anotherAddress: '別のアドレスを入力',
  closed: 'このサーバーでは登録を受け付けていません。管理者にアカウントを依頼してください。',
  confirmed: (address) => `アドレス ${address} を確認しました。ログイン方法を決めてください。`,
  username: 'ユーザー名',
  usernameHint: 'メールアドレス、または空白を含まない別の名前。どちらでもログインできます。',
  password: 'パスワード',
  submit: 'アカウントを作成',
  again: 'もう一度登録する',
  logIn: 'ログイン',
} satisfies Texts
