import type { Texts } from './en.ts'

export const texts = {
  link: 'ログイン履歴',
  heading: 'ログイン履歴',
  lead: '過去30日間にこのアカウントで行われたすべてのログインの試みを、新しい順に表示しています。成功したものの中に心当たりのないものがあれば、パスワードを変更してください。',
  none: '過去30日間にはありません。',
  older: '以前のログイン',
  newest: '最新のログイン',
  outcomes: {
    succeeded: 'ログインしました',
    wrongPassword: 'パスワードが違います',
    disabled: 'アカウントが無効になっていました',
    tooManyFailures: '失敗が多すぎたため拒否されました',
    providerRefused: '外部サービスで中止または拒否されました',
    providerFailed: '外部サービスから正しい応答がありませんでした',
    wrongFactor: '二段階目の確認に失敗しました',
    tooManyCodes: '誤ったコードが多すぎたため拒否されました',
    factorMissing: '二段階目の確認が行われませんでした',
    factorNotAsked: 'このアプリでは二段階目の確認ができないため拒否されました',
    notFinished: '時間内に完了しませんでした',
    passkeyRefused: 'パスキーが受け付けられませんでした',
    failed: '失敗しました',
  },
} satisfies Texts
