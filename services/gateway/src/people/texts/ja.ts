import { byMailJa } from './by-mail/ja.ts'
import type { Texts } from './en.ts'
import { factorsJa } from './factors/ja.ts'
import { minutesIn, waitIn } from './factors/time.ts'
import { loginsJa } from './logins/ja.ts'
import { ownAccountJa } from './own-account/ja.ts'

const startAgain = 'ログインページに戻り、もう一度最初から行ってください。'
const appIsWrong =
  'アプリに戻って、もう一度お試しください。同じことが起きる場合は、アプリの提供元にお知らせください。'
const answeredOrOld = 'このページはすでに回答済みか、古くなっています。'

/** The pages for people in Japanese. */
export const ja: Texts = {
  layout: {
    navigation: 'アカウント',
    administration: '管理',
    account: 'アカウント',
    logOut: 'ログアウト',
    about: 'このサーバーについて',
    terms: '利用規約',
    privacy: 'プライバシー',
    support: 'ヘルプ',
  },
  passwords: { show: '表示', hide: '非表示' },
  login: {
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
  },
  consent: {
    title: (app) => `${app} を許可しますか？`,
    heading: (app) => `${app} がアカウントへのアクセスを求めています`,
    document: (host) => `このアプリはここに登録されていません。説明と名前は ${host} が定めたものです。`,
    selfRegistered: 'このアプリは誰も確認していません。',
    anyProgram:
      'このアプリはお使いの端末で動作し、同じ端末のほかのプログラムがこのアプリになりすますことができます。ご自身でアプリを起動した直後の場合だけ許可してください。',
    lead: (user, app) => `${user} としてログインしています。許可すると、${app} は次のことができます。`,
    destination: (destination) =>
      `このあと ${destination} に戻ります。そこから来た場合だけ許可してください。`,
    allow: '許可する',
    deny: '拒否する',
    withdraw: (link) => `このアクセスは${link}でいつでも取り消せます。`,
    yourAccount: 'アカウント',
    aboutApp: (app) => `${app} について`,
    policy: 'プライバシーポリシー',
    terms: '利用規約',
    noDecision: '許可するか拒否するかが選択されていません。',
    over: `${answeredOrOld}アプリにまだアクセスが必要な場合は、アプリに戻ってもう一度行ってください。`,
    sessionOver: 'このページを開いている間にセッションが終了したため、アプリはアクセスできませんでした。',
    appOfScheme: (scheme) => `アプリ ${scheme}`,
  },
  scopes: {
    known: {
      read: 'データの読み取り',
      write: 'データの変更',
      profile: '名前とプロフィールの表示',
      email: 'メールアドレスの表示',
      openid: 'ログイン時の本人の識別',
      offline_access: '不在の間のアクセスの継続',
    },
    other: (scope) => `「${scope}」の使用`,
    ofServer: (server, words) => `${server}：${words}`,
  },
  account: {
    heading: 'アカウント',
    loggedInAs: (user) => `${user} としてログインしています。`,
    administrator: (user) => `${user}（管理者）としてログインしています。`,
    details: '登録情報',
    noDetails: 'ユーザー名のほかに登録されている情報はありません。',
    changeDetails: '登録情報を変更',
    apps: 'アカウントにアクセスできるアプリ',
    since: (time) => `${time} から`,
    withdraw: '取り消す',
    withdrawFrom: (app) => `${app} のアクセスを取り消す`,
    withdrawHint: 'アクセスを取り消したアプリは、次にそのアプリでログインするまで、すぐに使えなくなります。',
    noApps: 'ありません。このアカウントで使うアプリがここに表示されます。',
    appsMissing: '現在、一部のアプリが表示されていない可能性があります。1 分後にもう一度ご確認ください。',
    deletedApp: (clientId) => `${clientId}（削除済み）`,
    sessions: 'ログイン中の場所',
    thisBrowser: 'このブラウザー',
    from: (address) => `接続元 ${address}`,
    logOut: 'ログアウト',
    logOutHere: 'ここでログアウト',
    logOutOf: (browser, since) => `${since} からの ${browser} をログアウト`,
    providers: 'ログインの方法',
    as: (name) => `${name} として`,
    done: {
      session: 'そのセッションを終了しました。',
      app: 'アクセスを取り消しました。アプリのトークンは使えなくなりました。',
      details: '登録情報を保存しました。',
      password: 'パスワードを変更しました。ほかのセッションは終了し、アプリはアクセスできなくなりました。',
      'password-only': 'パスワードを変更しました。ほかのセッションとアプリのアクセスはそのままです。',
    },
  },
  password: {
    change: 'パスワードの変更',
    current: '現在のパスワード',
    new: '新しいパスワード',
    rule: (least) => `${least} 文字以上です。`,
    again: '新しいパスワード（もう一度）',
    keepAccess: 'ほかの場所でのログインとアプリのアクセスを維持する',
    keepAccessHint:
      '現在のパスワードをほかの人が知っている可能性がある場合は、選択しないでください。ほかのすべての場所からログアウトされ、すべてのアプリがアクセスできなくなります。',
    submit: 'パスワードを変更',
    yours: 'パスワード',
    notNeeded: (providers) =>
      `${providers} でログインしているため、ここではパスワードは必要ありません。必要な場合は、管理者にお問い合わせください。`,
    differ: '2 つの新しいパスワードが一致しません。何も変更されていません。',
    wrong: '現在のパスワードが正しくありません。何も変更されていません。',
    unacceptable: () => 'この新しいパスワードは使えません。別のパスワードを選んでください。',
  },
  browser: {
    programOn: (device) => `${device} 上のプログラム`,
    unknown: '不明なプログラム',
    on: (browser, device) => `${browser}（${device}）`,
  },
  details: {
    heading: '登録情報',
    lead: 'プロフィールの表示を許可したアプリに、この情報が渡されます。空欄の項目は誰にも表示されません。',
    addressByAdministrators: 'メールアドレスを変更できるのは管理者だけです。',
    save: '保存',
    back: 'アカウントに戻る',
    yes: 'はい',
    no: 'いいえ',
    choices: { yes: 'はい', no: 'いいえ', none: '未設定', leave: (now) => `変更しない：${now}` },
    faults: {
      text: (label, most) => `「${label}」は、目に見える 1～${most} 文字のテキストで入力してください。`,
      picture: (label) => `「${label}」は、パスワードを含まない https の URL で入力してください。`,
      language: (label) => `「${label}」は、en や de-CH などの言語タグで入力してください。`,
      zone: (label) => `「${label}」は、Europe/Berlin などのタイムゾーンで入力してください。`,
    },
  },
  factors: factorsJa,
  logins: loginsJa,
  logout: {
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
    over: `${answeredOrOld}ログアウトするには、アカウントを開いてください。`,
  },
  start: {
    lead: '1 つのアカウントで各アプリにログインできます。',
    account: 'アカウント',
    accountText: 'プロフィール、パスワード、第 2 要素、アプリを管理します。',
    console: 'コンソール',
    consoleText: '管理者向け: アプリ、ユーザー、アクティビティ。',
    documentation: 'ドキュメント',
    documentationText: 'このサーバーを使うアプリの作成、サーバーの運用と管理の方法。英語です。',
    api: 'API リファレンス',
    apiText: '開発者向け: すべてのエンドポイントを読み、試せます。',
    metadata: 'サーバーのメタデータ',
    metadataText: 'クライアントライブラリ向け: すべてのエンドポイントのアドレス。',
  },
  loggedOut: {
    heading: 'ログアウトしました',
    lead: 'このページを閉じてかまいません。',
    continueTo: (destination) => `${destination} に進む`,
    again: 'もう一度ログイン',
  },
  social: {
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
  },
  error: {
    toAccount: 'アカウントを開く',
    toDocumentation: 'ドキュメント: 各エラーの意味（英語）',
    details: '開発者向けの詳細',
    code: 'エラー',
    description: '説明',
    trace: 'トレース ID',
    otherSite: (ours) =>
      `このフォームは、このサーバーのページから送信されたものではありません。${ours} を開いて、そこでもう一度お試しください。`,
    wait: (seconds) => `${waitIn('ja', seconds)}にもう一度お試しいただけます。`,
    other: { heading: 'うまくいきませんでした', advice: appIsWrong },
    byCode: {
      invalid_request: { heading: 'このリクエストは処理できません', advice: appIsWrong },
      invalid_client: { heading: 'このアプリは登録されていません', advice: appIsWrong },
      access_denied: {
        heading: 'この操作は許可されていません',
        advice: '許可されるべきだと思われる場合は、管理者にお問い合わせください。',
      },
      login_required: {
        heading: 'セッションが終了しました',
        advice: '元の場所に戻って、もう一度行ってください。ログインを求められます。',
      },
      not_found: {
        heading: 'ページが見つかりません',
        advice: 'アドレスを確認してください。リンクから来た場合、そのリンクは古くなっています。',
      },
      method_not_allowed: {
        heading: 'このページはありません',
        advice: '元の場所に戻って、もう一度行ってください。',
      },
      rate_limit_exceeded: {
        heading: 'リクエストが多すぎます',
        advice: '少し待ってから、ページを再読み込みしてください。',
      },
      temporarily_unavailable: {
        heading: '少々お待ちください',
        advice: 'サーバーが混み合っているか、起動中です。数秒後にページを再読み込みしてください。',
      },
      server_error: {
        heading: '問題が発生しました',
        advice:
          'お客様の操作が原因ではありません。もう一度お試しください。同じことが起きる場合は、管理者にお知らせください。',
      },
    },
  },
  byMail: byMailJa,
  ownAccount: ownAccountJa,
}
