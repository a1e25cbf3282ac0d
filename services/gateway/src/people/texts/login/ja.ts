import { minutesIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: 'ログイン',
  toContinueTo: (app) => `${app} に進みます`,
  again: (user) => `${user} としてログインしています。続けるには、もう一度ログインしてください。`,
  loggedIn: (user, link) =>
    `${user} としてログインしています。${link}か、別のアカウントでログインしてください。`,
  continue: '続ける',
  toAccount: 'アカウントを開く',
  username: 'ユーザー名またはメールアドレス',
  password: 'パスワード',
  submit: 'ログイン',
  providers: '別の方法でログイン',
  missing: 'ユーザー名とパスワードを入力してください。',
  wrong: 'ユーザー名またはパスワードが正しくありません。確認して、もう一度お試しください。',
  tooMany: (seconds) => `ログインの失敗が多すぎます。${minutesIn('ja', seconds)}にもう一度お試しください。`,
  forgot: 'パスワードをお忘れですか?',
  signUp: 'アカウントを作成',
} satisfies Texts
