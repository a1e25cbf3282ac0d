import type { Texts } from './en.ts'

const startAgain = 'ログインページに戻り、もう一度最初から行ってください。'

export const texts = {
  unreachable: (provider) => ({
    heading: `${provider} が応答しません`,
    description: `現在、${provider} が応答していません。`,
    advice: 'ログインできませんでした。1 分後にもう一度お試しになるか、別の方法でログインしてください。',
  }),
  notOffered: (provider) => ({
    heading: `${provider} はここでは利用できません`,
    description: `このサーバーでは ${provider} でのログインを利用できません。`,
    advice: '別の方法でログインしてください。',
  }),
  notConfigured: (provider) => ({
    heading: `${provider} はここでは設定されていません`,
    description: `このサーバーでは ${provider} でのログインが設定されていません。`,
    advice: '別の方法でログインしてください。設定は管理者が行えます。',
  }),
  unknownLogin: {
    heading: 'このログインは終了しました',
    description: 'ログインがすでに完了しているか、時間がかかりすぎたか、別のブラウザーで開始されました。',
    advice: startAgain,
  },
  denied: (provider) => ({
    heading: 'ログインできませんでした',
    description: `${provider} によると、ログインが中止されたか、許可されていません。`,
    advice: '中止するつもりがなかった場合は、ログインページに戻り、もう一度最初から行ってください。',
  }),
  disabled: {
    heading: 'ログインできません',
    description: 'このアカウントは無効になっています。',
    advice: 'アカウントを有効にするよう、管理者に依頼してください。',
  },
  untrusted: (provider) => ({
    heading: `${provider} の応答に問題があります`,
    description: `${provider} の応答が信頼できないため、ログインできませんでした。`,
    advice: `${startAgain}同じことが起きる場合は、管理者にお知らせください。`,
  }),
  unknownProvider: 'この名前のログインサービスはありません。',
  toLogin: 'ログインページへ',
} satisfies Texts
