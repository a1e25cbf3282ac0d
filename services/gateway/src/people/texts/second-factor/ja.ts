import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: 'あと一歩です',
  loggingIn: (user) => `${user} としてログインしようとしています。`,
  loggedIn: (user) => `${user} としてログインしています。ここでは 2 つ目の認証要素も必要です。`,
  code: '認証アプリのコード',
  codeHint: '30 秒ごとに変わる 6 桁の数字です。',
  submit: '続ける',
  recovery: 'リカバリーコードを使う',
  recoveryCode: 'リカバリーコード',
  recoveryHint: (left) => `残りのコード: ${left} 個。それぞれ 1 回だけ使えます。`,
  nothing: '2 つ目の認証要素は、現在このサーバーではどれも使えません。管理者にリセットを依頼してください。',
  somebodyElse: '別のアカウントでログイン',
  missing: 'コードを入力してください。',
  wrongCode: 'このコードは正しくないか、すでに使われています。次のコードを待って、もう一度お試しください。',
  wrongRecoveryCode: 'このリカバリーコードは正しくないか、すでに使われています。',
  tooMany: (seconds) => `正しくないコードが多すぎます。${waitIn('ja', seconds)}にもう一度お試しください。`,
  ended: 'ログインに時間がかかりすぎたか、正しくないコードが多すぎました。もう一度ログインしてください。',
} satisfies Texts
