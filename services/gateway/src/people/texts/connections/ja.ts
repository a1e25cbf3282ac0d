import type { Texts } from './en.ts'

export const texts = {
  byAddress: '組織を通じてログイン',
  otherWay: {
    organization: (name) => `${name} で続けるには、この組織を通じてログインしてください。`,
    factors: (name) => `${name} で続けるには、2要素でログインしてください。`,
    account: 'このアプリには、ご自身のアカウントでのログインが必要です。',
    page: 'そのページを見るには、別の方法でログインしてください。',
  },
  address: {
    lead: '勤務先のメールアドレスを入力してください。ログイン先がわかります。',
    label: 'メールアドレス',
    submit: '続ける',
    missing: 'メールアドレスを入力してください。',
    unknown:
      'このアドレスに対応する組織のログインはありません。アドレスを確認するか、別の方法でログインしてください。',
    otherWays: 'その他のログイン方法',
  },
  question: {
    title: (name) => `${name} でログインしますか？`,
    lead: (user) =>
      `${user} としてログインしています。別のサイトのリンクからここに移動しました。ここで別の人としてログインすると、現在のログインは終了します。`,
    submit: 'ログイン',
    stay: 'ログインしたままにする',
  },
  problems: {
    notInvited: (provider) => ({
      heading: 'ここにはアカウントがありません',
      description: `${provider} でログインしましたが、それに対応するアカウントがここにはありません。`,
      advice: '管理者に招待を依頼してください。アカウントをお持ちの場合は、別の方法でログインしてください。',
    }),
    hasAccount: (provider) => ({
      heading: 'すでにアカウントがあります',
      description: `あなたのメールアドレスのアカウントがありますが、まだ ${provider} と連携していません。`,
      advice: `今回は別の方法でログインしてください。その後、${provider} をアカウントと連携できます。`,
    }),
    noMember: (provider) => ({
      heading: 'この組織のメンバーではありません',
      description: `${provider} でのログインは組織のメンバーのためのもので、あなたのアカウントは含まれていません。`,
      advice: '組織の管理者に招待を依頼するか、別の方法でログインしてください。',
    }),
    linkedToOther: (provider) => ({
      heading: 'このログインは別のアカウントのものです',
      description: `${provider} のアカウントは、ここですでに別のアカウントと連携しています。`,
      advice:
        'ログイン先で別のアカウントを選ぶか、ここで別のアカウントにログインして連携を解除してください。',
    }),
    session: (provider) => ({
      heading: 'もう一度ログインしてください',
      description: `${provider} にいる間にここでのログインが終了したか、このログインではこの操作ができません。`,
      advice: 'ログインして、最初からやり直してください。',
    }),
    full: (provider) => ({
      heading: '組織のメンバーが上限に達しています',
      description: `${provider} の組織のメンバーは上限に達しています。`,
      advice: '組織の管理者に伝えてください。',
    }),
  },
  own: {
    heading: '連携しているアカウント',
    link: '連携しているアカウントを見る',
    lead: 'これらの外部アカウントを使って、ここにログインできます。',
    none: '連携している外部アカウントはありません。',
    of: (organization) => `${organization} でのみ有効`,
    since: (time) => `${time} から連携`,
    badge: '使えません',
    orphaned: 'プロバイダーが変わり、このアカウントは使えなくなりました。',
    disabled: '現在、このプロバイダーではログインできません。',
    offers: '別のアカウントを連携する',
    done: { connected: 'アカウントを連携しました。', removed: 'アカウントの連携を解除しました。' },
    connect: {
      title: (name) => `${name} をアカウントと連携しますか？`,
      lead: 'これから連携先にログインします。その後は、それを使ってここにログインできます。',
      submit: '連携する',
    },
    remove: {
      title: (name) => `${name} の連携を解除しますか？`,
      lead: '今後はこの方法でログインできなくなります。この方法で始めたセッションは終了し、そこで許可したアプリのアクセスも失われます。',
      submit: '連携を解除',
      last: 'ほかにログインする方法がありません。先にパスワードまたはパスキーを設定してください。',
    },
  },
} satisfies Texts
