import type { Texts } from './en.ts'

export const texts = {
  title: 'ログアウトしますか？',
  heading: (brand) => `${brand} からログアウトしますか？`,
  loggedInAs: (user) => `${user} としてログインしています。`,
  asked: (app) => `${app} がログアウトを求めています。`,
  explanation:
    'ログアウトすると、このブラウザーでのセッションが終了します。ログインしたアプリにも通知されます。',
  destination: (destination) => `このあと ${destination} に移動します。`,
  submit: 'ログアウト',
  stay: 'ログインしたままにする',
  noDecision: 'どちらにするかが選択されていません。',
  over: 'このページはすでに回答済みか、古くなっています。ログアウトするには、アカウントを開いてください。',
  loggedOut: {
    heading: 'ログアウトしました',
    lead: 'このページを閉じてかまいません。',
    continueTo: (destination) => `${destination} に進む`,
    again: 'もう一度ログイン',
  },
} satisfies Texts
