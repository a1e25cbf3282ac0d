import type { Texts } from './en.ts'

export const texts = {
  title: (app) => `${app} を許可しますか？`,
  heading: (app) => `${app} がアカウントへのアクセスを求めています`,
  document: (host) => `このアプリはここに登録されていません。説明と名前は ${host} が定めたものです。`,
  selfRegistered: 'このアプリは誰も確認していません。',
  anyProgram:
    'このアプリはお使いの端末で動作し、同じ端末のほかのプログラムがこのアプリになりすますことができます。ご自身でアプリを起動した直後の場合だけ許可してください。',
  lead: (user, app) => `${user} としてログインしています。許可すると、${app} は次のことができます。`,
  destination: (destination) => `このあと ${destination} に戻ります。そこから来た場合だけ許可してください。`,
  allow: '許可する',
  deny: '拒否する',
  withdraw: (link) => `このアクセスは${link}でいつでも取り消せます。`,
  yourAccount: 'アカウント',
  aboutApp: (app) => `${app} について`,
  policy: 'プライバシーポリシー',
  terms: '利用規約',
  noDecision: '許可するか拒否するかが選択されていません。',
  over: 'このページはすでに回答済みか、古くなっています。アプリにまだアクセスが必要な場合は、アプリに戻ってもう一度行ってください。',
  sessionOver: 'このページを開いている間にセッションが終了したため、アプリはアクセスできませんでした。',
  appOfScheme: (scheme) => `アプリ ${scheme}`,
  scopes: {
    known: {
      read: 'データの読み取り',
      write: 'データの変更',
      profile: '名前とプロフィールの表示',
      email: 'メールアドレスの表示',
      openid: 'ログイン時の本人の識別',
      offline_access: '不在の間のアクセスの継続',
    },
    ofOrganizations: {
      organization: '組織の名前を見る',
      groups: '所属するグループを見る',
      roles: '持っているロールを見る',
    },
    other: (scope) => `「${scope}」の使用`,
    ofServer: (server, words) => `${server}：${words}`,
  },
  laterScopes: {
    email: 'メールアドレスの表示（登録したあと）',
    profile: 'ユーザー名の表示と、プロフィールの表示（入力したあと）',
  },
} satisfies Texts
