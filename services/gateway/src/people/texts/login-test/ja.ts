import type { Texts } from './en.ts'

export const texts = {
  heading: (connection) => `${connection} のテスト`,
  works: 'ログインできます。誰もログインさせておらず、何も保存していません。',
  fails: 'ログインできません。何も保存していません。',
  would: 'ログインするとどうなるか',
  mapped: 'マッピングで得られるもの',
  existing: (username) => `${username} としてログインします。`,
  created: '新しいユーザーが作成されます。',
  groups: 'グループ',
  roles: 'ロール',
  roleOf: (role, resource) => `${role} (${resource})`,
  nothing: 'マッピングで得られるものはありません。',
  remarks: '効果のない規則',
  claims: 'プロバイダーからの情報',
  noClaims: 'プロバイダーからの情報はありません。',
  claim: 'クレーム',
  value: '値',
  again: 'もう一度試す',
  back: '接続に戻る',
  problems: {
    unknownLogin: 'テストが古すぎるか、別のブラウザーで始められたものです。もう一度始めてください。',
    denied: 'プロバイダーでログインが取り消されたか、プロバイダーが拒否しました。',
    unreachable:
      'プロバイダーが時間内に応答しません。発行者と、このサーバーから接続できることを確認してください。',
    badAnswer:
      'プロバイダーの応答が無効です。クライアント ID、シークレットまたは鍵、発行者、acr の値を確認してください。',
    disabled: 'このアカウントのユーザーは無効になっています。',
    noConnection: '接続またはその組織が無効になっています。人がログインする前に有効にしてください。',
    notInvited: 'このアカウントをリンクした人はおらず、接続はこの人のユーザーを作成しません。',
    hasAccount:
      'このアドレスのユーザーがすでにいます。一度ほかの方法でログインし、自分のアカウントページでリンクします。',
    noMember: 'このアカウントをリンクしたユーザーは組織のメンバーではありません。',
    linkedToOther: 'このアカウントは別のユーザーにリンクされています。',
    session: 'その間にログアウトしたか、この接続を試す権限がありません。',
    full: '組織のメンバー数が上限に達しています。',
    other: 'ログインは拒否されました。',
  },
} satisfies Texts
